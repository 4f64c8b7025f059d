import type { IncomingMessage } from "node:http";

/** Statuses whose answers have no body. */
const bodiless: readonly number[] = [204, 205, 304];

/**
 * Sends a request over plain HTTP to an address that was checked, with the URL's host in the `Host` header. On Node.js
 * `fetch` looks the host up again, so it may call another address.
 */
export async function pinnedRequest(
  url: URL,
  { method = "GET", headers: sent, body, signal }: RequestInit,
  address: string,
): Promise<Response> {
  const { request } = await import("node:http"), { Readable } = await import("node:stream");
  const options = {
    method,
    agent: false,
    hostname: address,
    headers: { ...Object.fromEntries(new Headers(sent)), host: url.host },
    ...(signal && { signal }),
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    // When a server switches protocols, Node.js closes the connection and reports no error.
    const closed = (): void => reject(new Error("the connection ended without an answer"));
    request(url, options, resolve).on("error", reject).on("close", closed).end(body);
  });
  try {
    const { statusCode: status = 0, headersDistinct } = answer;
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(headersDistinct)) {
      for (const value of values) headers.append(name, value);
    }
    const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
    return new Response(bodiless.includes(status) ? null : stream, { status, headers });
  } catch (error) {
    answer.destroy();
    throw error;
  }
}
