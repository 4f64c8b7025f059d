/** A connection, and what waits on it. */
interface Connection {
  readonly client: Deno.HttpClient | undefined;
  /** How often anything arrived on it. */
  arrivals: number;
  readonly watches: Set<AbortController>;
}

/** One read or watch on a connection. */
export interface ConnectionUse {
  readonly client: Deno.HttpClient | undefined;
  /** Says that something arrived for it. */
  arrived(): void;
  /** Says that its caller gave up: nothing arrived in a time in which an API server answers. */
  gaveUp(): void;
}

/**
 * The HTTP/2 connection that carries all reads and watches. When a node or a link breaks, no end arrives, and HTTP/2
 * clients go on to use the connection until TCP gives up, a quarter of an hour later. `fetch` cannot ping as Go's
 * client does. So a read that nothing arrived for, on a connection on which nothing else arrived since, leaves the
 * connection to its watches: later reads make another. When the same read is answered there, the former connection is
 * dead, and its watches break too; otherwise the API server was slow, and they go on.
 */
export class ReadConnection {
  readonly #make: () => Deno.HttpClient | undefined;
  #current: Connection;
  #isClosed = false;
  /** Connections that were left with watches, by the path of the read that nothing arrived for. */
  readonly #left = new Map<string, Set<Connection>>();

  constructor(make: () => Deno.HttpClient | undefined) {
    this.#make = make;
    this.#current = { client: make(), arrivals: 0, watches: new Set() };
  }

  close(): void {
    this.#isClosed = true;
    this.#current.client?.close();
  }

  /** Returns the connection for a read of a path. */
  use(path: string): ConnectionUse {
    const connection = this.#current;
    let { arrivals } = connection;
    return {
      client: connection.client,
      arrived: () => {
        arrivals = ++connection.arrivals;
        if (connection === this.#current && this.#left.size > 0) this.#breakWatches(path);
      },
      gaveUp: () => {
        if (connection === this.#current && connection.arrivals === arrivals) this.#leave(path);
      },
    };
  }

  /** Adds a watch to the connection that it will use; the controller aborts when the connection is dead. */
  watch(broken: AbortController): () => void {
    const { watches } = this.#current;
    watches.add(broken);
    return () => void watches.delete(broken);
  }

  #leave(path: string): void {
    if (this.#isClosed) return;
    const former = this.#current;
    const client = this.#make();
    if (client === undefined) return;
    this.#current = { client, arrivals: 0, watches: new Set() };
    former.client?.close();
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
