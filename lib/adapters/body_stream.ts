import { UnfinishedLine } from "./unfinished_line.ts";

/** The most bytes of a line: the largest object that Kubernetes stores, with room for JSON escapes. */
const maxLine = 8_000_000;

/** The buffer's sizes in bytes: it starts small, because most answers are short, and grows when a read fills it. */
const firstBuffer = 4_096, largestBuffer = 65_536;

/**
 * Yields the chunks of a response's body as they arrive, until the body ends or the signal aborts. A consumer that
 * stops early cancels the body. A chunk is valid until the next one, because all reads share one buffer: by default the
 * runtime allocates 64 KiB for each read, and a short answer cost three times as much. It throws when the connection
 * breaks before the end of the body.
 */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = readerOf(body);
  // The runtime sometimes loses an abort that comes just after the headers, so this also cancels the body.
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

/** A reader that reuses one buffer; the default reader on platforms whose bodies do not support that. */
function readerOf(body: ReadableStream<Uint8Array>): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader();
  }
  let buffer: ArrayBufferLike = new ArrayBuffer(firstBuffer);
  return {
    cancel: () => reader.cancel(),
    async read() {
      const read = await reader.read(new Uint8Array(buffer));
      if (read.done) return { done: true };
      const { buffer: filled, length } = read.value;
      const isFull = length === filled.byteLength && length < largestBuffer;
      buffer = isFull ? new ArrayBuffer(4 * length) : filled;
      return read;
    },
  };
}

const lineFeed = 10;

/** Yields the lines of a body as {@link chunksOf} does; it throws when a line is longer than `maxLine`. */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const unfinished = new UnfinishedLine(maxLine);
  for await (const chunk of chunksOf(body, signal)) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const line = unfinished.end(chunk.subarray(start, end));
      if (line.length > 0) yield decoder.decode(line);
      start = end + 1;
    }
    unfinished.add(chunk.subarray(start));
  }
  const rest = unfinished.end(new Uint8Array(0));
  if (rest.length > 0 && !signal.aborted) yield decoder.decode(rest);
}
