import { type FileText, readFiles } from "../adapters/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { checkout, type GitOptions, isAddress } from "./git.ts";
import { ParsedFiles } from "./parsed_files.ts";

/** The documents of files and folders, with diagnostics for files that could not be read. */
export interface LoadedDocuments {
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly Diagnostic[];
  readonly files: readonly FileText[];
}

/** The bounds of one download: bytes and milliseconds. */
const LIMITS = { bytes: 32_000_000, time: 30_000 };

/**
 * Reads YAML and JSON documents from files, folders (recursively), `-` for standard input, the https address of a file,
 * and the address of a git repository or a folder in it. Files that were parsed before and have the same text keep
 * their documents. Objects of a cluster that are checked are read by {@link streamDocuments} instead.
 */
export async function loadDocuments(
  paths: readonly string[],
  remote: GitOptions = {},
  parsedFiles: ParsedFiles = new ParsedFiles(),
): Promise<LoadedDocuments> {
  const loaded = paths.some(isAddress)
    ? merged(
      await Promise.all(paths.map((path) => isAddress(path) ? download(path, remote) : readFiles([path]))),
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
function bounded({ files, diagnostics }: Files): Files {
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

type Files = Pick<LoadedDocuments, "files" | "diagnostics">;

function merged(loaded: readonly Files[]): Files {
  return {
    files: loaded.flatMap(({ files }) => files),
    diagnostics: loaded.flatMap(({ diagnostics }) => diagnostics),
  };
}

async function download(address: string, remote: GitOptions): Promise<Files> {
  if (/^https?:\/\/.*\.(?:ya?ml|json)(?:[?#].*)?$/.test(address)) {
    const text = await fetchText(address);
    return isFault(text) ? unreadable(address, text) : { files: [{ file: address, text }], diagnostics: [] };
  }
  const found = await checkout(address, remote);
  if (isFault(found)) return unreadable(address, found);
  await using repository = found;
  const { files, diagnostics } = await readFiles([repository.folder]);
  const named = (file: string): string => `${repository.address}${file.slice(repository.folder.length)}`;
  return {
    files: files.map(({ file, text }) => ({ file: named(file), text })),
    diagnostics: diagnostics.map(({ position, ...rest }) => ({
      ...rest,
      ...(position !== undefined && { position: { ...position, file: named(position.file) } }),
    })),
  };
}

async function fetchText(address: string): Promise<string | Fault> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(LIMITS.time) });
    if (!response.ok) {
      await response.body?.cancel();
      return new Fault(`the server answered ${response.status} ${response.statusText}`);
    }
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > LIMITS.bytes) return new Fault(`it is longer than ${LIMITS.bytes} bytes`);
    }
    return text + decoder.decode();
  } catch (cause) {
    return new Fault(cause instanceof Error ? cause.message : String(cause));
  }
}

function unreadable(file: string, { message }: Fault): Files {
  const position = { file, line: 1, column: 1 };
  return { files: [], diagnostics: [{ severity: "error", code: "unreadable-address", message, position }] };
}
