/** The lines of a stream of text as they arrive; the rest behind the last line break is none. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const text: ReadableStream<string> = stream.pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = `${rest}${read.value}`.split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
