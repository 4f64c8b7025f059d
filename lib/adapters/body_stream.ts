/** A line of a stream may be this long: the largest object that Kubernetes stores, and room for its escapes. */
const MAX_LINE = 8_000_000;

/**
 * The chunks of a body as they arrive, until the body ends or the signal is raised; leaving early ends the body too.
 * It throws when the body breaks off.
 */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
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
