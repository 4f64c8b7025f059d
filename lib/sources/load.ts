import { type FileText, type ReadFiles, readFiles } from "../adapters/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import type { GitOptions } from "./git.ts";
import { ParsedFiles } from "./parsed_files.ts";
import { remoteSourceOf } from "./remote/table.ts";

/** The documents of files and folders, with diagnostics for files that could not be read. */
export interface LoadedDocuments {
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly Diagnostic[];
  readonly files: readonly FileText[];
}

/**
 * Reads YAML and JSON documents from files, folders (recursively), `-` for standard input, and the addresses of
 * {@link remoteSourceOf}. Files that were parsed before and have the same text keep their documents. Objects of a
 * cluster that are checked are read by {@link streamDocuments} instead.
 */
export async function loadDocuments(
  paths: readonly string[],
  remote: GitOptions = {},
  parsedFiles: ParsedFiles = new ParsedFiles(),
): Promise<LoadedDocuments> {
  // Local paths alone are read together: a file that two of them hold is read once.
  const loaded = paths.some((path) => remoteSourceOf(path) !== undefined)
    ? merged(
      await Promise.all(
        paths.map((path) => remoteSourceOf(path)?.read(path, remote) ?? readFiles([path])),
      ),
    )
    : await readFiles(paths);
  const { files, diagnostics } = bounded(loaded);
  const parsed = parsedFiles.parse(files);
  return {
    documents: parsed.flatMap((one) => one.documents),
    diagnostics: [...diagnostics, ...parsed.flatMap((one) => one.diagnostics)],
    files: loaded.files,
  };
}

/** The most characters of all files together. */
const mostCharacters = 32_000_000;

/** The files within the bound of all files together; each file beyond it is a diagnostic. */
function bounded({ files, diagnostics }: ReadFiles): ReadFiles {
  let characters = 0;
  const refused: Diagnostic[] = [];
  const read = files.filter(({ file, text }) => {
    characters += text.length;
    if (characters <= mostCharacters) return true;
    refused.push({
      severity: "error",
      code: "large-files",
      message: `The file is not read: with those before it there are more than ${mostCharacters} characters`,
      position: { file, line: 1, column: 1 },
    });
    return false;
  });
  return { files: read, diagnostics: [...diagnostics, ...refused] };
}

function merged(loaded: readonly ReadFiles[]): ReadFiles {
  return {
    files: loaded.flatMap(({ files }) => files),
    diagnostics: loaded.flatMap(({ diagnostics }) => diagnostics),
  };
}
