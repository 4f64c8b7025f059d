import { chunksOf } from "./body_stream.ts";
import { deadlineIn } from "./deadline.ts";

/** Receives the body of a response as it arrives. Each method returns false when there is no room for it. */
export interface BodySink {
  /** A chunk is valid until its promise ends. */
  add(chunk: Uint8Array, signal: AbortSignal): boolean | Promise<boolean>;
  end(signal: AbortSignal): boolean | Promise<boolean>;
}

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
  /** Takes memory for bytes that have arrived; false ends the request. */
  readonly take?: ((bytes: number) => boolean) | undefined;
  /** Makes the receiver of the body, which {@link Sent} then does not have; `bytes` and `text` are empty. */
  readonly sink?: ((response: Pick<Response, "ok" | "headers">) => BodySink) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The client, with certificates for instance, or a function that returns one for each URL; the default when absent. */
  readonly client?: Deno.HttpClient | ((url: URL) => Deno.HttpClient | undefined) | undefined;
  /** Decides whether to follow a redirect; when absent, a redirect is an answer like any other. */
  readonly follow?: ((url: URL) => boolean | Promise<boolean>) | undefined;
}

/** The response to an HTTP request, or why there was none. */
export type Sent =
  | {
    readonly ok: true;
    readonly status: number;
    readonly headers: Headers;
    /** The bytes as text, decoded when it is read: content of registries seldom is. */
    readonly text: string;
    readonly bytes: Uint8Array;
  }
  | {
    readonly ok: false;
    readonly reason: "timeout" | "cancelled" | "network" | "too large" | "no room" | "redirect";
    readonly message: string;
  };

const MAX_REDIRECTS = 10;

/** Sends a request and reads the whole answer, within the bounds of time and size. It never throws. */
export async function send(outgoing: Outgoing): Promise<Sent> {
  const deadline = deadlineIn(outgoing.timeout, outgoing.signal);
  try {
    return await exchange(outgoing, deadline.signal);
  } catch (error) {
    if (deadline.ended === "timeout") {
      return { ok: false, reason: "timeout", message: `no answer within ${outgoing.timeout} ms` };
    }
    if (deadline.ended === "cancelled") {
      return { ok: false, reason: "cancelled", message: "the request's deadline passed" };
    }
    return { ok: false, reason: "network", message: causeOf(error) };
  } finally {
    deadline.release();
  }
}

async function exchange(outgoing: Outgoing, signal: AbortSignal): Promise<Sent> {
  const { follow, client } = outgoing;
  let url = new URL(outgoing.url);
  let method = outgoing.method;
  let body = outgoing.body;
  const headers = new Headers(outgoing.headers);
  for (let hop = 0;; hop++) {
    const hopClient = typeof client === "function" ? client(url) : client;
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(hopClient === undefined ? {} : { client: hopClient }),
    });
    const target = follow === undefined ? undefined : redirectTarget(response, url);
    if (target === undefined) return await readAll(response, outgoing, signal);
    await response.body?.cancel();
    if (hop >= MAX_REDIRECTS) return refused(`stopped after ${MAX_REDIRECTS} redirects`);
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

function refused(message: string): Sent {
  return { ok: false, reason: "redirect", message };
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.get("location");
  return location === null || !URL.canParse(location, from) ? undefined : new URL(location, from);
}

const noRoom: Sent = {
  ok: false,
  reason: "no room",
  message: "all answers together take too much memory",
};

async function readAll(
  response: Response,
  { maxBytes, take, sink: makeSink }: Pick<Outgoing, "maxBytes" | "take" | "sink">,
  signal: AbortSignal,
): Promise<Sent> {
  const sink = makeSink?.(response);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body === null ? [] : chunksOf(response.body, signal)) {
    length += chunk.length;
    if (length > maxBytes) {
      return { ok: false, reason: "too large", message: `the answer is longer than ${maxBytes} bytes` };
    }
    if (take?.(chunk.length) === false) return noRoom;
    if (sink === undefined) chunks.push(chunk.slice());
    else {
      const added = sink.add(chunk, signal);
      if (added !== true && !await added) return noRoom;
    }
  }
  // After an abort the body is not complete.
  signal.throwIfAborted();
  const ended = sink?.end(signal) ?? true;
  if (ended !== true && !await ended) return noRoom;
  if (sink !== undefined) length = 0;
  const bytes = joined(chunks, length);
  return {
    ok: true,
    status: response.status,
    headers: response.headers,
    bytes,
    get text() {
      return new TextDecoder().decode(bytes);
    },
  };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** The message of the innermost cause, without the URL, which the runtime repeats and which may contain credentials. */
export function causeOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  const text = reason instanceof Error ? reason.message : String(reason);
  return text.replace(/^error sending request (?:from \S+ )?for url \([^)]*\)(?: \([^)]*\))?: /, "")
    .replace(/^error sending request: /, "").replace(/^client error \(Connect\): /, "cannot connect: ");
}
