import { type FileText, readFiles } from "../adapters/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import { parseDocuments, type YamlDocument } from "../yaml/mod.ts";
import { checkout, type GitOptions, isAddress } from "./git.ts";

/** Documents of files and folders, with what could not be read. */
export interface LoadedDocuments {
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly Diagnostic[];
  readonly files: readonly FileText[];
}

/** Bytes and milliseconds of one download. */
const LIMITS = { bytes: 32_000_000, time: 30_000 };

/**
 * Reads YAML and JSON documents from files, folders (recursively), `-` for standard input, the https address of a file,
 * and the address of a git repository or a folder in it.
 */
export async function loadDocuments(
  paths: readonly string[],
  remote: GitOptions = {},
): Promise<LoadedDocuments> {
  const loaded = paths.some(isAddress)
    ? merged(
      await Promise.all(paths.map((path) => isAddress(path) ? download(path, remote) : readFiles([path]))),
    )
    : await readFiles(paths);
  const parsed = loaded.files.map(({ file, text }) => parseDocuments(text, file));
  return {
    documents: parsed.flatMap((one) => one.documents),
    diagnostics: [...loaded.diagnostics, ...parsed.flatMap((one) => one.diagnostics)],
    files: loaded.files,
  };
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
