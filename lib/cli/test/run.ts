import { join } from "node:path";
import type { Diagnostic } from "../../diagnostics/mod.ts";
import { type Fault, isFault } from "../../json/mod.ts";
import { type ImageLookup, readImageFiles } from "../../open_ports/mod.ts";
import { type Checkout, checkout, isAddress } from "../../sources/mod.ts";
import {
  findTests,
  type FoundTest,
  readTestSelector,
  recordedImagesFile,
  type TestRun,
  type TestSelector,
} from "../../testing/mod.ts";
import { type Terminal, unusable } from "../terminal.ts";
import { type Watched, watching } from "../watching.ts";
import { type TestReportFile, testReportFiles } from "./outputs.ts";
import { TestSession, type TestSessionOptions } from "./session.ts";

/** The options of `test`. */
export interface TestArguments extends TestSessionOptions {
  /** Test files, or folders to search recursively. */
  readonly paths: readonly string[];
  readonly fileName: string;
  readonly testCaseSelector: string;
  /** `FORMAT=PATH`: further documents. */
  readonly output: readonly string[];
  readonly gitBranch?: string;
  /** Whether to run again whenever files change, until Ctrl-C. */
  readonly watch: boolean;
  /** Whether to look up images in their registries if a test does not describe them. */
  readonly registry: boolean;
  readonly trustedRoot: readonly string[];
  readonly searchLogs: boolean;
}

/**
 * `test DIR…`: runs the tests of policies. With an output format it writes only that document to standard output. Exit
 * code 0 when all tests pass; 1 when a test fails or cannot run, when an input is unusable, and when it checked
 * nothing; 2 for unusable arguments.
 *
 * Kyverno parity: options, files, tables and summary. Unlike Kyverno, Postern runs the other tests when one cannot run,
 * and warns of misspelt names. Pinned by tests/cli/test_command_test.ts and tests/cli/kyverno_texts_test.ts.
 */
export async function test(args: TestArguments, terminal: Terminal): Promise<number> {
  const selector = readTestSelector(args.testCaseSelector);
  if (isFault(selector)) return unusable(selector.message, terminal);
  const files = testReportFiles(args.output);
  if (isFault(files)) return unusable(files.message, terminal);
  if (args.recordImages && args.testCaseSelector !== everyTest) {
    return unusable("--record-images is for whole tests: leave --test-case-selector out", terminal);
  }
  const lookup = args.registry || args.recordImages
    ? await readImageFiles({ ...args, for: "command" })
    : undefined;
  if (isFault(lookup)) return unusable(lookup.message, terminal);
  const checkouts: Checkout[] = [];
  try {
    const folders = await foldersOf(args, checkouts);
    if (isFault(folders)) return unusable(folders.message, terminal);
    const named = (file: string): string => nameInRepository(file, checkouts);
    const work = (): Promise<Watched> => runAll({ args, folders, selector, files, lookup, named }, terminal);
    return args.watch ? await watching(work, terminal) : (await work()).code;
  } finally {
    for (const checkout of checkouts) await checkout[Symbol.asyncDispose]();
  }
}

/** The folders to search. It clones git repositories first. */
async function foldersOf(
  { paths, gitBranch: branch }: TestArguments,
  checkouts: Checkout[],
): Promise<string[] | Fault> {
  const folders: string[] = [];
  for (const path of paths) {
    if (!isAddress(path)) {
      folders.push(path);
      continue;
    }
    const found = await checkout(path, { branch });
    if (isFault(found)) return found;
    checkouts.push(found);
    folders.push(found.folder);
  }
  return folders;
}

/** The name of a file in messages: in a clone of a repository, its address. */
function nameInRepository(file: string, checkouts: readonly Checkout[]): string {
  const inside = checkouts.find(({ folder }) => file === folder || file.startsWith(`${folder}/`));
  return inside === undefined ? file : inside.address + file.slice(inside.folder.length);
}

/** The warning about a test that checks nothing: nobody should rely on it. */
function emptyTest({ positionOf }: FoundTest): Diagnostic {
  const message = "The test checks nothing: it has no results";
  return { severity: "warning", code: "empty-test", message, position: positionOf([]) };
}

interface TestOptions {
  readonly args: TestArguments;
  readonly folders: readonly string[];
  readonly selector: TestSelector;
  readonly files: readonly TestReportFile[];
  /** The source of image data; without it tests look up no images. */
  readonly lookup: ImageLookup | undefined;
  readonly named: (file: string) => string;
}

/** The selector of every test. */
const everyTest = "policy=*,rule=*,resource=*";

/** How many tests run ahead of the one that the session compares, this one included. */
const mostAhead = 4;

async function runAll(options: TestOptions, terminal: Terminal): Promise<Watched> {
  const { args, folders, selector, files, lookup, named } = options;
  const { tests, diagnostics } = await findTests(folders, args.fileName);
  const session = new TestSession(args, { terminal, lookup, named });
  session.note(diagnostics);
  const chosen = tests.map((found) => ({
    found,
    expectations: found.test.results.flatMap((expectation) => selector.select(expectation) ?? []),
  })).filter(({ found: { test: { results, checks } }, expectations }) =>
    expectations.length > 0 || (results.length === 0 && checks.length > 0)
  );
  const runs: Promise<TestRun>[] = [];
  for (const [index, { found, expectations }] of chosen.entries()) {
    for (let next = runs.length; next < Math.min(chosen.length, index + mostAhead); next++) {
      runs.push(session.start(chosen[next]!.found));
    }
    await session.compare(found, expectations, await runs[index]!);
    // The session has compared the run; this frees its objects.
    delete runs[index];
  }
  session.note(tests.filter(({ test }) => test.results.length + test.checks.length === 0).map(emptyTest));
  if (tests.length === 0) {
    if (diagnostics.length === 0) terminal.err("No test yamls available");
  } else if (chosen.length === 0 && args.testCaseSelector !== everyTest) {
    terminal.err(`--test-case-selector ${args.testCaseSelector}: no result is about this`);
  }
  const written = args.recordImages ? tests.map(({ folder }) => join(folder, recordedImagesFile)) : [];
  return {
    code: await session.finish(files),
    reads: [...folders, ...session.files],
    writes: [...files.map(({ path }) => path), ...written],
  };
}
