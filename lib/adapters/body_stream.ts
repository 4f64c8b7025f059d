/** A line of a stream may be this long: the largest object that Kubernetes stores, and room for its escapes. */
const MAX_LINE = 8_000_000;

/** Bytes of the buffer that a body is read into: few at first, as most answers are short, and more while they fill it. */
const FIRST_BUFFER = 4_096, LARGEST_BUFFER = 65_536;

/**
 * The chunks of a response's body as they arrive, until the body ends or the signal is raised; leaving early ends the body
 * too. A chunk is valid until the next one: all are read into one buffer, because by itself the runtime takes a new one of
 * 64 KiB for each read, and a short answer cost three times as much. It throws when the body breaks off.
 */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = readerOf(body);
  // The runtime sometimes loses an abort that comes just after the headers: it is passed on to the body here as well.
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

/** A reader into one buffer, where the platform's bodies can be read so. */
function readerOf(body: ReadableStream<Uint8Array>): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader();
  }
  let buffer: ArrayBufferLike = new ArrayBuffer(FIRST_BUFFER);
  return {
    cancel: () => reader.cancel(),
    async read() {
      const read = await reader.read(new Uint8Array(buffer));
      if (read.done) return { done: true };
      const { buffer: filled, length } = read.value;
      const isFull = length === filled.byteLength && length < LARGEST_BUFFER;
      buffer = isFull ? new ArrayBuffer(4 * length) : filled;
      return read;
    },
  };
}

/** The lines of a body, as {@link chunksOf}; a line that is longer than any object can be ends it with an exception. */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunksOf(body, signal)) {
    rest += decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      if (end > start) yield rest.slice(start, end);
      start = end + 1;
    }
    rest = rest.slice(start);
    if (rest.length > MAX_LINE) throw new Error(`a line is longer than ${MAX_LINE} characters`);
  }
  if (rest !== "" && !signal.aborted) yield rest;
}
