import { type FileText, readFiles } from "../adapters/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { parseDocuments, type YamlDocument } from "../yaml/mod.ts";

/** Documents of files and folders, with what could not be read. */
export interface LoadedDocuments {
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly Diagnostic[];
  readonly files: readonly FileText[];
}

/** Reads YAML and JSON documents from files, folders (recursively) and `-` for standard input. */
export async function loadDocuments(paths: readonly string[]): Promise<LoadedDocuments> {
  const { files, diagnostics } = await readFiles(paths);
  const parsed = files.map(({ file, text }) => parseDocuments(text, file));
  return {
    documents: parsed.flatMap((one) => one.documents),
    diagnostics: [...diagnostics, ...parsed.flatMap((one) => one.diagnostics)],
    files,
  };
}
