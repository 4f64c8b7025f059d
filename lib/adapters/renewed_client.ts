/** One call with a client. */
export interface ClientUse {
  /** The runtime's client when `undefined`. */
  readonly client: Deno.HttpClient | undefined;
  /** Sends the request instead of the runtime's `fetch`, where no client can be pinned to an address. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  /** Says that an answer begins to arrive. */
  arrived(): void;
  /** Says that its caller gave up after so many milliseconds in which nothing arrived. */
  gaveUp(waited: number): void;
}

/** Milliseconds within which a server begins to answer unless it, or the connection, does not work. */
const lateMs = 1_000;

/**
 * An HTTP client whose connections are replaced when they go silent. When a node or a link breaks, no end arrives. Over
 * HTTP/2 all calls of a host then wait on the dead connection until TCP gives up, a quarter of an hour later: `fetch`
 * cannot ping as Go's client does. Over HTTP/1.1 each idle connection costs one call. So after a call that nothing
 * arrived for, later calls make other connections, at most once a second. Calls that are under way go on.
 */
export class RenewedClient {
  readonly #make: () => Deno.HttpClient | undefined;
  #client: Deno.HttpClient | undefined;
  #isClosed = false;

  /** `make` makes each client but the first; it returns `undefined` where the runtime has no clients. */
  constructor(make: () => Deno.HttpClient | undefined, first: Deno.HttpClient | undefined) {
    this.#make = make;
    this.#client = first;
  }

  /** The runtime's client, as long as its connections answer. */
  static ofRuntime(): RenewedClient {
    return new RenewedClient(
      () => typeof Deno === "undefined" ? undefined : Deno.createHttpClient({}),
      undefined,
    );
  }

  /** The client that is used now. */
  get client(): Deno.HttpClient | undefined {
    return this.#client;
  }

  use(): ClientUse {
    const client = this.#client;
    return { client, arrived() {}, gaveUp: (waited) => void (isLate(waited) && this.renew(client)) };
  }

  /** Replaces a client; false when another one is used by now. */
  renew(former: Deno.HttpClient | undefined): boolean {
    if (this.#isClosed || former !== this.#client) return false;
    const client = this.#make();
    if (client === undefined) return false;
    this.#client = client;
    former?.close();
    return true;
  }

  close(): void {
    if (!this.#isClosed) this.#client?.close();
    this.#isClosed = true;
  }
}

/** Whether so many milliseconds without an answer say something about the connection. */
export function isLate(waited: number): boolean {
  return waited >= lateMs;
}

/** The use of a client that makes connections for one call only. */
export function singleUse(client: Deno.HttpClient): ClientUse {
  return { client, arrived() {}, gaveUp() {} };
}
