/** A line of a stream may be this long: the largest object that Kubernetes stores, and room for its escapes. */
const MAX_LINE = 8_000_000;

/**
 * The lines of a body as they arrive, until the body ends or the signal is raised. It throws when the body breaks off
 * or a line is longer than any object can be.
 */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const reader = body.getReader();
  // The runtime sometimes loses an abort that comes just after the headers: it is passed on to the body here as well.
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      let start = 0;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
        if (end > start) yield rest.slice(start, end);
        start = end + 1;
      }
      rest = rest.slice(start);
      if (rest.length > MAX_LINE) throw new Error(`a line is longer than ${MAX_LINE} characters`);
    }
    if (rest !== "" && !signal.aborted) yield rest;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
