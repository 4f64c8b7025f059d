/** A request whose body has arrived. */
export interface ListenerRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The listener may free this memory after the answer, so a handler must not keep it. */
  readonly body: Uint8Array;
}

/** The answer to a request: status, headers and body. */
export interface ListenerAnswer {
  readonly status: number;
  /** Without `Content-Length`, `Date` and `Connection`, which the listener adds. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array;
}

/** The answer of a handler. */
export interface HandlerAnswer extends ListenerAnswer {
  /**
   * Does what the caller need not wait for, such as metrics. Called once, after the answer is written; it never throws.
   */
  readonly afterwards?: (() => void) | undefined;
}

/** Answers requests, synchronously if it can. */
export type Handler = (request: ListenerRequest) => HandlerAnswer | Promise<HandlerAnswer>;

/** The facts about a request that the listener has before it reads the body. */
export interface Announced {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Whether the caller presented a client certificate that the configured CA signed. */
  readonly authenticated: boolean;
  /** The IP address of the caller. */
  readonly address: string;
}

/** A web handler such as Hono's `fetch`. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Makes a {@link Handler} from a web handler, which takes a `Request` and returns a `Response`. */
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

/** The headers that the connection controls. */
const connectionHeaders = new Set(["content-length", "date", "connection", "transfer-encoding"]);
