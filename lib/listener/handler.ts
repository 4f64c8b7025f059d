/** A request whose body has arrived. */
export interface Incoming {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** An answer. */
export interface Outgoing {
  readonly status: number;
  /** `Content-Length`, `Date` and `Connection` are added; these must not be among them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array;
}

/** Answers requests; at once, where it can. */
export type Handler = (request: Incoming) => Outgoing | Promise<Outgoing>;

/** What is known of a request before its body is read. */
export interface Announced {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Whether the caller showed a client certificate of the authority that was given. */
  readonly authenticated: boolean;
}

/** A web handler, as Hono has it. The body is given beside the request as well, so that nobody has to copy it. */
export type Fetch = (request: Request, incoming: Incoming) => Response | Promise<Response>;

/** Makes a handler of one that takes and gives the web's own requests and responses. */
export function fetchHandler(fetch: Fetch): Handler {
  return (incoming) => {
    const response = fetch(requestOf(incoming), incoming);
    return response instanceof Promise ? response.then(outgoing) : outgoing(response);
  };
}

/** A request without its body, which {@link Incoming} has. */
function requestOf({ method, target, headers }: Incoming): Request {
  return new Request(`http://postern${target}`, { method, headers: headers as [string, string][] });
}

async function outgoing(response: Response): Promise<Outgoing> {
  const headers = [...response.headers].filter(([name]) => !own.has(name));
  return { status: response.status, headers, body: await response.text() };
}

const own = new Set(["content-length", "date", "connection", "transfer-encoding"]);
