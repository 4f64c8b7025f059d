/**
 * A client of a listener on a thread of its own: it sends a request when it gets the port, and another one on request.
 * It counts its answers in memory that it shares with the listener's thread.
 */
const worker = self as unknown as {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: string): void;
};
let connection: Deno.Conn;
let answers: Int32Array<SharedArrayBuffer>;

worker.onmessage = async ({ data }) => {
  const isFirst = data !== "send";
  if (isFirst) {
    ({ answers } = data);
    connection = await Deno.connect({ hostname: "127.0.0.1", port: data.port });
  } // The listener's thread is held up by then.
  else await new Promise((resolve) => setTimeout(resolve, 500));
  const body = isFirst ? "before" : "during";
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}`;
  await connection.write(new TextEncoder().encode(`${head}\r\n\r\n${body}`));
  let text = "";
  const buffer = new Uint8Array(4096);
  while (!text.endsWith(body)) {
    const count = await connection.read(buffer);
    if (count === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
  worker.postMessage(text);
};
