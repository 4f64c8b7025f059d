/** A relay of TCP connections on the loopback address, whose connections can go silent as when a link breaks. */

/** Relays connections to a port. */
export interface Relay {
  readonly port: number;
  /** The connections that were made. */
  readonly connections: number;
  /** Forwards nothing more on the connections made so far, and closes none: no end arrives on either side. */
  silence(): void;
  close(): Promise<void>;
}

/** Starts a relay to a port of the loopback address. */
export function relayTo(port: number): Relay {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open: Deno.Conn[] = [];
  let connections = 0, silentUntil = 0;

  async function forward(from: Deno.Conn, into: Deno.Conn, index: number): Promise<void> {
    const bytes = new Uint8Array(65_536);
    for (;;) {
      const count = await from.read(bytes).catch(() => null);
      if (index < silentUntil) return;
      if (count === null) break;
      let written = 0;
      while (written < count) written += await into.write(bytes.subarray(written, count));
    }
    into.close();
  }

  const accepting = (async () => {
    for await (const near of listener) {
      const index = connections++;
      const far = await Deno.connect({ hostname: "127.0.0.1", port });
      open.push(near, far);
      forward(near, far, index).catch(() => {});
      forward(far, near, index).catch(() => {});
    }
  })();

  return {
    port: listener.addr.port,
    get connections() {
      return connections;
    },
    silence() {
      silentUntil = connections;
    },
    async close() {
      listener.close();
      await accepting;
      for (const connection of open) {
        try {
          connection.close();
        } catch {
          // It ended before.
        }
      }
    },
  };
}
