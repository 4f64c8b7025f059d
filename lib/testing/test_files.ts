import { dirname, join } from "node:path";
import { type Diagnostic, type Position, unreadablePath } from "../diagnostics/mod.ts";
import { compareBytes, type DocumentPath } from "../json/mod.ts";
import { parseDocuments } from "../yaml/mod.ts";
import { readTestCase, type TestCase } from "./test_case.ts";

/** A test with its file. */
export interface FoundTest {
  readonly file: string;
  /** The folder of its relative paths. */
  readonly folder: string;
  readonly test: TestCase;
  positionOf(path: DocumentPath): Position;
}

/** The tests of folders, with the problems of test files. */
export interface FoundTests {
  readonly tests: readonly FoundTest[];
  readonly diagnostics: readonly Diagnostic[];
}

const maxDepth = 32;

/**
 * Finds the test files with a name below folders. It also searches folders whose names begin with a dot, where
 * policies keep their tests. A path may be a test file itself. A file may hold several tests.
 */
export async function findTests(paths: readonly string[], fileName: string): Promise<FoundTests> {
  const tests: FoundTest[] = [];
  const diagnostics: Diagnostic[] = [];
  const found = await findTestFiles(paths, fileName);
  diagnostics.push(...found.diagnostics);
  for (const file of found.files) {
    try {
      await readFile(file);
    } catch (cause) {
      diagnostics.push(unreadablePath(file, cause));
    }
  }
  return { tests, diagnostics };

  async function readFile(file: string): Promise<void> {
    const { documents, diagnostics: problems } = parseDocuments(await Deno.readTextFile(file), file);
    diagnostics.push(...problems);
    for (const document of documents) {
      const read = readTestCase(document);
      if (!read.ok) diagnostics.push(...read.diagnostics);
      else {
        const positionOf = (path: DocumentPath): Position => document.positionOf(path);
        tests.push({ file, folder: dirname(file), test: read.test, positionOf });
      }
    }
  }
}

/**
 * The test files with a name below folders, and paths that are files; with diagnostics for paths that cannot be read.
 */
export async function findTestFiles(
  paths: readonly string[],
  fileName: string,
): Promise<{ readonly files: readonly string[]; readonly diagnostics: readonly Diagnostic[] }> {
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    try {
      files.push(...await filesBelow(path, fileName));
    } catch (cause) {
      diagnostics.push(unreadablePath(path, cause));
    }
  }
  return { files, diagnostics };
}

async function filesBelow(path: string, fileName: string): Promise<string[]> {
  return (await Deno.stat(path)).isDirectory ? await walk(path, 0) : [path];

  async function walk(folder: string, depth: number): Promise<string[]> {
    if (depth > maxDepth) return [];
    const entries: Deno.DirEntry[] = [];
    for await (const entry of Deno.readDir(folder)) entries.push(entry);
    const files: string[] = [];
    for (const entry of entries.sort((left, right) => compareBytes(left.name, right.name))) {
      const inner = join(folder, entry.name);
      if (entry.isDirectory) files.push(...await walk(inner, depth + 1));
      else if (entry.name === fileName) files.push(inner);
    }
    return files;
  }
}
