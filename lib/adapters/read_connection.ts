import { type ClientUse, isLate, type RenewedClient } from "./renewed_client.ts";

/** A connection, and what waits on it. */
interface Connection {
  readonly client: Deno.HttpClient | undefined;
  /** How often anything arrived on it. */
  arrivals: number;
  readonly watches: Set<AbortController>;
}

/**
 * The HTTP/2 connection that carries all reads and watches. A read that nothing arrived for, on a connection on which
 * nothing else arrived since, leaves the connection to its watches: later reads make another ({@link RenewedClient}).
 * When the same read is answered there, the former connection is dead, and its watches break too; otherwise the API
 * server was slow, and they go on.
 */
export class ReadConnection {
  readonly #clients: RenewedClient;
  #current: Connection;
  /** Connections that were left with watches, by the path of the read that nothing arrived for. */
  readonly #left = new Map<string, Set<Connection>>();

  constructor(clients: RenewedClient) {
    this.#clients = clients;
    this.#current = connectionOf(clients);
  }

  close(): void {
    this.#clients.close();
  }

  /** Returns the connection for a read of a path. */
  use(path: string): ClientUse {
    const connection = this.#current;
    let { arrivals } = connection;
    return {
      client: connection.client,
      arrived: () => {
        arrivals = ++connection.arrivals;
        if (connection === this.#current && this.#left.size > 0) this.#breakWatches(path);
      },
      gaveUp: (waited) => {
        if (isLate(waited) && connection.arrivals === arrivals) this.#leave(connection, path);
      },
    };
  }

  /** Adds a watch to the connection that it will use; the controller aborts when the connection is dead. */
  watch(broken: AbortController): () => void {
    const { watches } = this.#current;
    watches.add(broken);
    return () => void watches.delete(broken);
  }

  #leave(former: Connection, path: string): void {
    if (!this.#clients.renew(former.client)) return;
    this.#current = connectionOf(this.#clients);
    for (const [each, connections] of this.#left) {
      for (const connection of connections) if (connection.watches.size === 0) connections.delete(connection);
      if (connections.size === 0) this.#left.delete(each);
    }
    if (former.watches.size === 0) return;
    const left = this.#left.get(path) ?? new Set();
    this.#left.set(path, left.add(former));
  }

  #breakWatches(path: string): void {
    for (const { watches } of this.#left.get(path) ?? []) for (const watch of watches) watch.abort();
    this.#left.delete(path);
  }
}

function connectionOf({ client }: RenewedClient): Connection {
  return { client, arrivals: 0, watches: new Set() };
}
