/** A server on the loopback address that writes bytes of its choice, as no HTTP server would. */

const encoder = new TextEncoder();

export interface RawServer {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** The connections that are open. */
  readonly open: () => number;
  /** The most connections that were open at once. */
  readonly most: () => number;
  close(): void;
}

/** Writes to one connection; false when the client has left. */
export type Write = (part: string | Uint8Array) => Promise<boolean>;

/** `answer` writes the answer to the first request of a connection, which ends with its promise. */
export function rawServer(answer: (write: Write, head: string) => Promise<void>): RawServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.TcpConn>();
  let most = 0;
  const serve = async (connection: Deno.TcpConn): Promise<void> => {
    connections.add(connection);
    most = Math.max(most, connections.size);
    try {
      const buffer = new Uint8Array(65_536), length = await connection.read(buffer) ?? 0;
      await answer(async (part) => {
        const bytes = typeof part === "string" ? encoder.encode(part) : part;
        try {
          for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
          return true;
        } catch {
          return false;
        }
      }, new TextDecoder().decode(buffer.subarray(0, length)));
    } catch {
      // The client left, or the test has ended.
    }
    if (connections.delete(connection)) connection.close();
  };
  const accepting = (async () => {
    for await (const connection of listener) void serve(connection);
  })();
  accepting.catch(() => {});
  return {
    address: `http://127.0.0.1:${listener.addr.port}`,
    open: () => connections.size,
    most: () => most,
    close() {
      listener.close();
      for (const connection of connections) connection.close();
      connections.clear();
    },
  };
}
