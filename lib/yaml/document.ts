import { YAMLException } from "js-yaml";
import type { Diagnostic, Position } from "../diagnostics/mod.ts";
import { type DocumentPath, Fault, type Json } from "../json/mod.ts";
import { construct, type Constructed } from "./construct.ts";
import type { Booleans } from "./scalar.ts";
import { documentStarts, type Events, readEvents } from "./events.ts";
import { type DocumentSource, LatestPositions, Lines } from "./positions.ts";
import { type Chunk, splitDocuments } from "./split.ts";

/** One document of a file. */
export interface YamlDocument {
  readonly value: Json;
  /** The file of its positions, which {@link positionOf} would parse the document for once more. */
  readonly file: string;
  /**
   * The position of a key or list element, by its path of keys and indexes. For a path that the document does not have,
   * the position of its nearest existing parent.
   */
  positionOf(path: DocumentPath): Position;
}

/** The documents and the diagnostics that {@link parseDocuments} returns. */
export interface ParsedDocuments {
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Bounds of {@link parseDocuments}. */
export interface ParseOptions {
  /**
   * A longer document becomes a diagnostic and is not read: reading takes some 70 times as much memory as the
   * text.
   */
  readonly longest?: number;
  /** The positions that the documents share with those of other files; without it those of this file share some. */
  readonly positions?: LatestPositions;
}

/**
 * Reads one document as Kubernetes' tools do (JSON is YAML too), and ignores further ones. Text without a
 * document is null.
 *
 * ```ts
 * import { parseYaml } from "./document.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseYaml("on: 010"), { true: 8 });
 * assert.equal(isFault(parseYaml("a: [b")), true);
 * ```
 */
export function parseYaml(text: string): Json | Fault {
  for (const chunk of splitDocuments(withoutMark(text))) {
    for (const part of readChunk(chunk)) {
      if ("cause" in part) {
        const { message, line, column } = explain(part.cause);
        // Kyverno parity: the conversion to JSON rejects these values, and its message has no line. Pinned by
        // tests/yaml/document_test.ts.
        if (message.startsWith("json: ")) return new Fault(message);
        return new Fault(`yaml: line ${line + chunk.firstLine - 1}: ${message} (column ${column})`);
      }
      if (chunk.text.trim() !== "") return part.documents.at(0)?.value ?? null;
    }
  }
  return null;
}

/**
 * Reads all documents of a file. It leaves out empty ones. A broken document becomes a diagnostic and does not
 * affect the others. A key that occurs twice becomes a warning, and its later value counts. A list of kind
 * `List` stays one document.
 */
export function parseDocuments(
  text: string,
  file: string,
  { longest = Infinity, positions }: ParseOptions = {},
): ParsedDocuments {
  const chunks = splitDocuments(withoutMark(text));
  const short = chunks.filter(({ text }) => text.length <= longest);
  const { documents, diagnostics } = parseChunks(short, file, { positions });
  const refused = chunks.filter(({ text }) => text.length > longest);
  return {
    documents,
    diagnostics: [...diagnostics, ...refused.map((chunk) => tooLong(chunk, file, longest))],
  };
}

function tooLong({ text, firstLine }: Chunk, file: string, longest: number): Diagnostic {
  return {
    severity: "error",
    code: "large-document",
    message: `The document has ${text.length} characters; ${longest} are read at most`,
    hint: "split it into separate documents, with --- between them",
    position: { file, line: firstLine, column: 1 },
  };
}

interface ChunkOptions {
  readonly booleans?: Booleans | undefined;
  readonly positions?: LatestPositions | undefined;
}

/** Reads the documents of parts of a file, as {@link parseDocuments} reads those of a whole file. */
export function parseChunks(
  chunks: readonly Chunk[],
  file: string,
  { booleans, positions = new LatestPositions() }: ChunkOptions = {},
): ParsedDocuments {
  const documents: YamlDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const part of chunks.flatMap((chunk) => [...readChunk(chunk, booleans)])) {
    const { chunk } = part;
    if ("cause" in part) {
      diagnostics.push(asDiagnostic(part.cause, chunk, file));
      continue;
    }
    const lines = new Lines(chunk.text, { ...chunk, file });
    for (const [index, { value, duplicates }] of part.documents.entries()) {
      for (const { key, offset } of duplicates) {
        const position = lines.at(part.events.original(offset));
        const message = `The key "${key}" occurs twice; its later value counts`;
        diagnostics.push({ severity: "warning", code: "duplicate-key", message, position });
      }
      if (chunk.isItem === true && Array.isArray(value)) {
        const { positionOf } = locate(value, { chunk, file, index }, positions);
        documents.push({ value: value[0] ?? null, file, positionOf: (path) => positionOf([0, ...path]) });
      } else if (value !== null) documents.push(locate(value, { chunk, file, index }, positions));
    }
  }
  return { documents, diagnostics };
}

function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

type Part =
  | { readonly chunk: Chunk; readonly events: Events; readonly documents: readonly Constructed[] }
  | { readonly chunk: Chunk; readonly cause: unknown };

/** Reads the documents of a chunk: usually one; several when JSON objects follow one another without `---`. */
function* readChunk(chunk: Chunk, booleans?: Booleans): Generator<Part> {
  let rest: Chunk | undefined = chunk;
  while (rest !== undefined) {
    const current: Chunk = rest;
    rest = undefined;
    const next = current === chunk ? 0 : endOfFirst(current.text);
    if (next > 0) {
      yield* readChunk({ ...current, text: current.text.slice(0, next) }, booleans);
      rest = chunkFrom(current, next);
      continue;
    }
    try {
      const events = readEvents(current.text);
      const documents = documentStarts(events.events).map((start) => construct(events, start, booleans));
      yield { chunk: current, events, documents };
    } catch (cause) {
      const end = endOfJson(current.text, cause);
      if (end === 0) yield { chunk: current, cause };
      else {
        yield* readChunk({ ...current, text: current.text.slice(0, end) }, booleans);
        rest = chunkFrom(current, end);
      }
    }
  }
}

/** The part of a chunk that begins at an offset. */
function chunkFrom({ text, firstLine, firstColumn = 1 }: Chunk, offset: number): Chunk {
  const lines = text.slice(0, offset).split("\n");
  const column = lines.at(-1)!.length + (lines.length === 1 ? firstColumn : 1);
  const rest = { text: text.slice(offset), firstLine: firstLine + lines.length - 1 };
  if (isJson(rest.text)) return { ...rest, firstColumn: column };
  // Spaces keep the columns of the last part, whose indentation counts.
  return { ...rest, text: " ".repeat(column - 1) + rest.text };
}

/** Characters that are read to find the end of a JSON value, at first, and those behind it that the parser may read. */
const firstLength = 2_048, lookahead = 1_100;

/**
 * Returns the end of a JSON value that others follow; 0 if it is not near. Only the begin of the text is read: a file
 * may have many values.
 */
function endOfFirst(text: string): number {
  if (!isJson(text)) return 0;
  for (let length = firstLength; length < text.length; length *= 4) {
    try {
      readEvents(text.slice(0, length));
    } catch (cause) {
      const end = endOfJson(text, cause);
      if (end > 0 && end < length - lookahead) return end;
    }
  }
  return 0;
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/** Returns the end of a JSON value when the only error is that more text follows it; otherwise 0. */
function endOfJson(text: string, cause: unknown): number {
  if (!isJson(text) || !(cause instanceof YAMLException) || !cause.reason.startsWith("end of the stream")) {
    return 0;
  }
  return cause.mark?.position ?? 0;
}

/** Makes a document that computes positions when they are used, because most files have no diagnostics. */
function locate(value: Json, source: DocumentSource, latest: LatestPositions): YamlDocument {
  return { value, file: source.file, positionOf: (path) => latest.at(source, path) };
}

interface Explanation {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

function explain(cause: unknown): Explanation {
  if (!(cause instanceof YAMLException)) throw cause;
  const { line = 0, column = 0 } = cause.mark ?? {};
  return { message: cause.reason, line: line + 1, column: column + 1 };
}

function asDiagnostic(cause: unknown, chunk: Chunk, file: string): Diagnostic {
  const { message, line, column } = explain(cause);
  const conflict = chunk.text.search(conflictMark);
  if (conflict >= 0) return conflictDiagnostic(chunk, conflict, file);
  const hint = message.endsWith("aliasing") ? undefined : hintFor(chunk.text.split("\n")[line - 1] ?? "");
  const before = line === 1 ? (chunk.firstColumn ?? 1) - 1 : 0;
  const position = { file, line: chunk.firstLine + line - 1, column: column + before };
  const diagnostic: Diagnostic = { severity: "error", code: "invalid-yaml", message, position };
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}

/** The first line of a merge conflict that git left in the file. */
const conflictMark = /^<{7} /m;

/** Says where the conflict begins: the parser stops lines later, at a colon that is right. */
function conflictDiagnostic({ text, firstLine }: Chunk, index: number, file: string): Diagnostic {
  const line = firstLine + text.slice(0, index).split("\n").length - 1;
  return {
    severity: "error",
    code: "invalid-yaml",
    message: "The file has a merge conflict",
    hint: 'choose one side, and remove the lines that begin with "<<<<<<<", "=======" and ">>>>>>>"',
    position: { file, line, column: 1 },
  };
}

/** Returns a hint about the usual mistake in a line that is not valid YAML; `undefined` when it shows none. */
function hintFor(line: string): string | undefined {
  if (/^\s*\t/.test(line)) return "indent with spaces, not with tabs";
  if (/[:-][ ]*\t/.test(line)) return "write spaces in place of the tab";
  if (/(?:^|[\s[{,])\*[\w-]+:/.test(line)) return "write a space between the alias and its colon";
  if (/^\s*\{\{/.test(line)) return "this is a template, such as one of Helm: check what it renders";
  if (/(?::|-)\s+\{\{/.test(line)) return 'a value that starts with "{{" must be quoted';
  if (line.split('"').slice(1, -1).some((part) => part.includes("{{"))) {
    return "within double quotes, write texts of an expression as 'x'";
  }
  if (/(?::|-)\s+[*!&%@`|>]/.test(line)) return "a value that starts with this character must be quoted";
  if (/^\s*(?:- )?[\w-]+:\s+[^\s"'[{#][^"]*:(?:\s|$)/.test(line)) {
    return 'a text with ": " in it must be quoted';
  }
  return undefined;
}
