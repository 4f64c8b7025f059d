import { utf8Decoder } from "../bytes/mod.ts";
import { causeOf, findFiles } from "../adapters/mod.ts";
import { isFault } from "../json/mod.ts";
import { fetchBody, isFileAddress } from "./remote/https_file.ts";
import { unreadable } from "./remote/remote_source.ts";
import { type Diagnostic, fileProblem } from "../diagnostics/mod.ts";
import {
  type Booleans,
  DocumentStream,
  type DocumentStreamOptions,
  parseChunks,
  type YamlDocument,
} from "../yaml/mod.ts";

/** The next item of a stream of documents. */
export type StreamedDocument =
  | { readonly kind: "document"; readonly document: YamlDocument }
  | { readonly kind: "problem"; readonly diagnostic: Diagnostic }
  /** The bytes that were read, and those of all files; 0 for standard input, whose length is unknown. */
  | { readonly kind: "progress"; readonly bytes: number; readonly of: number };

/** The options of reading files. */
export interface StreamOptions extends DocumentStreamOptions {
  /** Opens standard input; the process's by default. */
  readonly stdin?: () => ReadableStream<Uint8Array>;
  /** The words that are booleans; those of YAML 1.1 by default, as in Kubernetes. */
  readonly booleans?: Booleans;
}

/** The bytes that are read at once: enough that a long document is not scanned too often. */
const pieceBytes = 1_048_576;

/**
 * Yields the documents of files, folders, addresses and `-` for standard input, one after the other, in the memory of
 * one document. A problem does not end the stream.
 */
export async function* streamDocuments(
  paths: readonly string[],
  options: StreamOptions = {},
): AsyncGenerator<StreamedDocument> {
  const { files: local, diagnostics } = await findFiles(paths.filter((path) => !isFileAddress(path)));
  const files = [...local, ...paths.filter(isFileAddress).map((file) => ({ file, size: 0 }))];
  for (const diagnostic of diagnostics) yield { kind: "problem", diagnostic };
  const of = files.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  // One buffer for all files: a buffer for each is six times the work of reading short ones.
  const buffer = new Uint8Array(pieceBytes);
  for (const { file } of files) {
    try {
      for await (const part of readParts(file, buffer, options)) {
        if (typeof part !== "number") yield part;
        else yield { kind: "progress", bytes: bytes += part, of };
      }
    } catch (cause) {
      const message = isFileAddress(file) ? causeOf(cause) : fileProblem(cause);
      yield { kind: "problem", diagnostic: problem(file, { code: "unreadable-file", message }) };
    }
  }
}

/** Yields the documents of a file, and the numbers of bytes that were read. */
async function* readParts(
  file: string,
  buffer: Uint8Array<ArrayBuffer>,
  { stdin = () => Deno.stdin.readable, booleans, ...limits }: StreamOptions,
): AsyncGenerator<Exclude<StreamedDocument, { kind: "progress" }> | number> {
  const documents = new DocumentStream(limits);
  const decode = utf8Decoder();
  const parsed = function* (chunks: ReturnType<DocumentStream["push"]>) {
    for (const chunk of chunks) {
      const read = parseChunks([chunk], file, { booleans });
      for (const diagnostic of read.diagnostics) yield { kind: "problem", diagnostic } as const;
      for (const document of read.documents) yield { kind: "document", document } as const;
    }
  };
  const pieces =
    await (file === "-" ? stdin() : isFileAddress(file) ? fetchBody(file) : readPieces(file, buffer));
  if (isFault(pieces)) {
    for (const diagnostic of unreadable(file, pieces).diagnostics) yield { kind: "problem", diagnostic };
    return;
  }
  for await (const piece of pieces) {
    yield* parsed(documents.push(decode(piece)));
    yield piece.length;
  }
  yield* parsed(documents.push(decode()));
  yield* parsed(documents.end());
  for (const line of documents.tooLong) {
    yield {
      kind: "problem",
      diagnostic: problem(
        file,
        { code: "long-document", message: "The document is too long to be read" },
        line,
      ),
    };
  }
}

/** Yields the bytes of a file; the next piece replaces them in the buffer. */
async function* readPieces(file: string, buffer: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array> {
  using open = await Deno.open(file);
  for (let length = await open.read(buffer); length !== null; length = await open.read(buffer)) {
    yield buffer.subarray(0, length);
  }
}

function problem(file: string, problem: Pick<Diagnostic, "code" | "message">, line = 1): Diagnostic {
  return { severity: "error", ...problem, position: { file, line, column: 1 } };
}
