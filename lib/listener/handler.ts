/** A request whose body has arrived. */
export interface ListenerRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Its memory is used again once the request is answered. */
  readonly body: Uint8Array;
}

/** An answer. */
export interface ListenerAnswer {
  readonly status: number;
  /** `Content-Length`, `Date` and `Connection` are added; these must not be among them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array;
}

/** Answers requests; at once, where it can. */
export type Handler = (request: ListenerRequest) => ListenerAnswer | Promise<ListenerAnswer>;

/** The facts about a request that the listener has before it reads the body. */
export interface Announced {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Whether the caller showed a client certificate of the authority that was given. */
  readonly authenticated: boolean;
  /** The IP address of the caller. */
  readonly address: string;
}

/** A web handler, as Hono has it. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Makes a handler of one that takes and gives the web's own requests and responses. */
export function fetchHandler(fetch: Fetch): Handler {
  return async ({ method, target, headers, body }) => {
    const response = await fetch(
      new Request(`http://postern${target}`, {
        method,
        headers: headers as [string, string][],
        ...(body.length > 0 && { body: body as Uint8Array<ArrayBuffer> }),
      }),
    );
    return {
      status: response.status,
      headers: [...response.headers].filter(([name]) => !connectionHeaders.has(name)),
      body: await response.text(),
    };
  };
}

/** The headers that the connection itself writes. */
const connectionHeaders = new Set(["content-length", "date", "connection", "transfer-encoding"]);
