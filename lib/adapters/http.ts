import { parseJson } from "../json/mod.ts";
import type { Answer, Http, HttpCall } from "../ports.ts";
import { statusLine } from "./api_answer.ts";
import { send } from "./transport.ts";

/** The bounds of calls to services; each has the reference's default. */
export interface HttpOptions {
  /** Milliseconds for a whole call: 30,000. */
  readonly timeout?: number;
  /** The longest answer in bytes: 2,000,000. */
  readonly maxBytes?: number;
  /**
   * Whether an address may be called. It is asked for the call and for every redirect, so that rules about addresses
   * cannot be passed by redirecting. Every http and https address when absent.
   */
  readonly allows?: (url: URL) => boolean;
}

/**
 * Calls to services over HTTP(S) for policies: JSON in and out, bounded in time and size.
 *
 * Certificates given with a call are trusted in addition to the runtime's roots (the reference trusts them alone;
 * Deno's client can only add). Answers other than 2xx are failures with the text `HTTP <status>: <body>`.
 */
export class HttpClient implements Http {
  readonly #timeout: number;
  readonly #maxBytes: number;
  readonly #allows: (url: URL) => boolean;

  constructor({ timeout = 30_000, maxBytes = 2_000_000, allows = () => true }: HttpOptions = {}) {
    this.#timeout = timeout;
    this.#maxBytes = maxBytes;
    this.#allows = allows;
  }

  async call(call: HttpCall): Promise<Answer> {
    const url = URL.canParse(call.url) ? new URL(call.url) : undefined;
    // Kyverno parity: transport errors read as Go's do, `Get "<url>": <reason>`.
    const failed = (reason: string, status?: number): Answer => ({
      ok: false,
      status,
      message: `${call.method === "GET" ? "Get" : "Post"} "${call.url}": ${reason}`,
    });
    if (url === undefined) return failed("not an absolute URL");
    if (!this.#permits(url)) return failed(`${url.protocol}//${url.host} is not allowed`);
    const client = clientFor(call.caBundle);
    if (typeof client === "string") return { ok: false, status: undefined, message: client };
    try {
      const sent = await send({
        method: call.method,
        url: call.url,
        headers: headersOf(call),
        ...(call.method === "POST" && call.body !== undefined ? { body: JSON.stringify(call.body) } : {}),
        timeout: this.#timeout,
        maxBytes: this.#maxBytes,
        signal: call.signal,
        client,
        follow: (target) => this.#permits(target),
      });
      if (!sent.ok) {
        if (sent.reason !== "too large") {
          return failed(sent.reason === "timeout" ? "timed out" : sent.message);
        }
        return {
          ok: false,
          status: undefined,
          message: `response length must be less than max allowed response length of ${this.#maxBytes}`,
        };
      }
      if (sent.status < 200 || sent.status > 299) {
        return { ok: false, status: sent.status, message: `HTTP ${statusLine(sent.status)}: ${sent.text}` };
      }
      return parsed(sent.status, sent.text, failed);
    } finally {
      client?.close();
    }
  }

  #permits(url: URL): boolean {
    return (url.protocol === "http:" || url.protocol === "https:") && this.#allows(url);
  }
}

function headersOf(call: HttpCall): Record<string, string> {
  const headers = new Map([["accept", "application/json"]]);
  if (call.method === "POST") headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name.toLowerCase(), value);
  return Object.fromEntries(headers);
}

function clientFor(caBundle: string | undefined): Deno.HttpClient | string | undefined {
  if (caBundle === undefined || caBundle.trim() === "") return undefined;
  const certificates = caBundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g);
  if (certificates === null) return "failed to parse PEM CA bundle";
  try {
    return Deno.createHttpClient({ caCerts: certificates });
  } catch {
    return "failed to parse PEM CA bundle";
  }
}

function parsed(status: number, text: string, failed: (reason: string, status: number) => Answer): Answer {
  const body = parseJson(text);
  return body === undefined ? failed("the answer is not JSON", status) : { ok: true, status, body };
}
