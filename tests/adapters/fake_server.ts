/** A server on the loopback address that answers as a test says and remembers what it was asked. */

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** The answer to the n-th request, counted from 0. */
export type Answering = (received: ReceivedRequest, index: number) => Response | Promise<Response>;

export interface FakeServer {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  readonly received: readonly ReceivedRequest[];
  close(): Promise<void>;
}

export function fakeServer(answer: Answering, tls?: { cert: string; key: string }): FakeServer {
  const received: ReceivedRequest[] = [];
  const open = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, signal: open.signal, ...tls },
    async (request) => {
      const url = new URL(request.url);
      const one = {
        method: request.method,
        path: url.pathname + url.search,
        headers: request.headers,
        body: await request.text(),
      };
      received.push(one);
      return await answer(one, received.length - 1);
    },
  );
  return {
    address: `${tls === undefined ? "http" : "https"}://127.0.0.1:${server.addr.port}`,
    received,
    async close() {
      open.abort();
      await server.finished;
    },
  };
}

/** An answer that never comes, until the server is closed. */
export function silence(): Promise<Response> {
  return new Promise(() => {});
}
