import type { BodySink } from "./body_sink.ts";
import { chunksOf } from "./body_stream.ts";
import { BytesBody } from "./bytes_body.ts";
import { deadlineIn } from "./deadline.ts";
import type { FloodWatch } from "./flood_watch.ts";
import type { ClientUse } from "./renewed_client.ts";

/** One HTTP request and its bounds. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds within which the whole answer must arrive. */
  readonly timeout: number;
  /** The most bytes of the answer; a longer one ends the request. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns the client for the URL of the call or of a redirect. */
  readonly client: (url: URL) => ClientUse;
  /** Decides whether to follow a redirect; when absent, a redirect is an answer like any other. */
  readonly follow?: ((url: URL) => boolean | Promise<boolean>) | undefined;
  /** Ends requests to servers that flood the process; absent where the server is trusted. */
  readonly floods?: FloodWatch;
}

/** The head of the response to an HTTP request, whose body has gone to a sink. */
export interface ResponseHead {
  readonly ok: true;
  readonly status: number;
  readonly headers: Headers;
  /** The URL that answered: that of the request, or of the last redirect. */
  readonly url: URL;
}

/** Why an HTTP request has no whole response. */
export interface Unanswered {
  readonly ok: false;
  readonly reason: "timeout" | "cancelled" | "flood" | "network" | "too large" | "no room" | "redirect";
  readonly message: string;
}

/** The response to an HTTP request, or why there was none. */
export type Sent = ResponseHead & Pick<BytesBody, "bytes" | "text"> | Unanswered;

/** Makes the receiver of a body. */
type MakeSink = (response: Pick<Response, "ok" | "headers">) => BodySink;

const maxRedirects = 10;

/**
 * The most pieces of less than 64 bytes in which a server may send its answer. Reading a piece takes some ten
 * microseconds, so that a server that sends two megabytes in single bytes takes half of the process for half a minute.
 */
const maxShortPieces = 20_000, shortPiece = 64;

/**
 * Sends a request and reads the whole answer as {@link sendInto} does. `take` takes memory for bytes that have arrived;
 * false ends the request.
 */
export async function send(
  outgoing: Outgoing,
  take: (bytes: number) => boolean = () => true,
): Promise<Sent> {
  const body = new BytesBody(take);
  const sent = await sendInto(() => body, outgoing);
  if (!sent.ok) {
    body.drop();
    return sent;
  }
  return {
    ...sent,
    bytes: body.bytes,
    get text() {
      return body.text;
    },
  };
}

/** Sends a request and gives the body of its answer to a sink, within the bounds of time and size. It never throws. */
export async function sendInto(makeSink: MakeSink, outgoing: Outgoing): Promise<ResponseHead | Unanswered> {
  const deadline = deadlineIn(outgoing.timeout, outgoing.signal);
  let gaveUp: (() => void) | undefined, answered: (() => void) | undefined;
  const client = (url: URL): ClientUse => {
    const use = outgoing.client(url), began = performance.now();
    gaveUp = () => use.gaveUp(performance.now() - began);
    answered = outgoing.floods?.wait(() => deadline.end("flood"));
    const arrived = (): void => {
      gaveUp = undefined;
      answered?.();
      use.arrived();
    };
    return { ...use, arrived };
  };
  try {
    return await exchange({ ...outgoing, client }, makeSink, deadline.signal);
  } catch (error) {
    if (deadline.ended !== undefined) gaveUp?.();
    if (deadline.ended === "timeout") {
      return { ok: false, reason: "timeout", message: `no answer within ${outgoing.timeout} ms` };
    }
    if (deadline.ended === "cancelled") {
      return { ok: false, reason: "cancelled", message: "the request's deadline passed" };
    }
    if (deadline.ended === "flood") return flooded;
    return { ok: false, reason: "network", message: causeOf(error) };
  } finally {
    answered?.();
    deadline.release();
  }
}

async function exchange(
  outgoing: Outgoing,
  makeSink: MakeSink,
  signal: AbortSignal,
): Promise<ResponseHead | Unanswered> {
  const { follow, client } = outgoing;
  let url = new URL(outgoing.url);
  let method = outgoing.method;
  let body = outgoing.body;
  const headers = new Headers(outgoing.headers);
  for (let hop = 0;; hop++) {
    const use = client(url);
    const response = await (use.fetch ?? fetch)(url, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(use.client === undefined ? {} : { client: use.client }),
    });
    use.arrived();
    const target = follow === undefined ? undefined : redirectTarget(response, url);
    if (target === undefined) {
      const problem = await readAll(response, {
        sink: makeSink(response),
        maxBytes: outgoing.maxBytes,
        signal,
      });
      return problem ?? { ok: true, status: response.status, headers: response.headers, url };
    }
    await response.body?.cancel();
    if (hop >= maxRedirects) return refused(`stopped after ${maxRedirects} redirects`);
    if (await follow?.(target) !== true) return refused(`the redirect to ${target.origin} is not allowed`);
    // RFC 9110 §15.4, as browsers and Go do it: 307 and 308 repeat the request, the others turn it into a GET.
    if (response.status < 307 && method !== "GET" && method !== "HEAD") {
      method = "GET";
      body = undefined;
      headers.delete("content-type");
    }
    // No other server may get the credentials.
    if (target.origin !== url.origin) {
      for (const name of ["authorization", "cookie"]) headers.delete(name);
    }
    url = target;
  }
}

const flooded: Unanswered = {
  ok: false,
  reason: "flood",
  message: "ended, as a server sends so many interim answers that they delay requests",
};

function refused(message: string): Unanswered {
  return { ok: false, reason: "redirect", message };
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.get("location");
  return location === null || !URL.canParse(location, from) ? undefined : new URL(location, from);
}

const noRoom: Unanswered = {
  ok: false,
  reason: "no room",
  message: "all answers together take too much memory",
};

/** Gives a whole body to a sink; returns why that is impossible. */
async function readAll(
  { body }: Response,
  { sink, maxBytes, signal }: {
    readonly sink: BodySink;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<Unanswered | undefined> {
  let length = 0, shortPieces = 0;
  for await (const chunk of body === null ? [] : chunksOf(body, signal)) {
    length += chunk.length;
    if (chunk.length < shortPiece && ++shortPieces > maxShortPieces) {
      return { ok: false, reason: "network", message: "the answer comes in too many short pieces" };
    }
    if (length > maxBytes) {
      return { ok: false, reason: "too large", message: `the answer is longer than ${maxBytes} bytes` };
    }
    const added = sink.add(chunk, signal);
    if (added !== true && !await added) return noRoom;
  }
  // After an abort the body is not complete.
  signal.throwIfAborted();
  const ended = sink.end(signal);
  return ended === true || await ended ? undefined : noRoom;
}

/** The message of the innermost cause, without the URL, which the runtime repeats and which may contain credentials. */
export function causeOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  const text = reason instanceof Error ? reason.message : String(reason);
  return text.replace(/^error sending request (?:from \S+ )?for (?:url \([^)]*\)|\S+)(?: \([^)]*\))?: /, "")
    .replace(/^error sending request: /, "").replace(/^client error \(Connect\): /, "cannot connect: ")
    .replace(/^client error \(SendRequest\): /, "");
}
