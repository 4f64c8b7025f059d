import type { Answer, Http, HttpCall } from "../ports.ts";
import { statusLine } from "../kube/mod.ts";
import type { AddressCheck } from "./service_addresses.ts";
import { PinnedClients } from "./pinned_clients.ts";
import { AnswerBody } from "./answer_body.ts";
import { AnswerMemory } from "./answer_memory.ts";
import type { AnswerReading } from "./answer_reading.ts";
import type { BodySink } from "./body_sink.ts";
import { CallTurns } from "./call_turns.ts";
import { FloodWatch } from "./flood_watch.ts";
import { RenewedClient, singleUse } from "./renewed_client.ts";
import { sendInto, type Unanswered } from "./transport.ts";

/** The bounds of calls to services; each has Kyverno's default. */
export interface HttpOptions {
  /** Milliseconds for a whole call: 30,000. */
  readonly timeout?: number;
  /** The longest answer in bytes: 2,000,000. */
  readonly maxBytes?: number;
  /**
   * Decides whether a URL may be called. The client checks the URL of the call and of every redirect, so that no
   * redirect evades the rules. When absent, every http and https URL may be called.
   */
  readonly refuses?: AddressCheck;
  /** Bounds the heap of all answers together; unbounded by default. */
  readonly memory?: AnswerMemory;
  /** The client of calls without certificates; the runtime's by default. */
  readonly client?: RenewedClient;
  /** Whether Policies of namespaces may call services, with Postern's access to the network; `false` when absent. */
  readonly namespaced?: boolean;
}

/** The most calls of one service and of all that are under way: each takes a connection. */
const mostOfOne = 64, mostCalls = 256;

/** Makes the answer to a call that failed. */
type Failed = (reason: string, status?: number) => Answer;

/**
 * Calls to services over HTTP(S) for policies: JSON in and out, bounded in time and size.
 *
 * The client trusts the certificates of a call in addition to the runtime's roots. Kyverno trusts them alone, but
 * Deno's client can only add certificates. An answer other than 2xx is a failure with the status and without the body.
 * Every message names the URL once.
 */
export class HttpClient implements Http {
  readonly #timeout: number;
  readonly #maxBytes: number;
  readonly #refuses: AddressCheck;
  readonly #namespaced: boolean;
  readonly #memory: AnswerMemory;
  readonly #client: RenewedClient;
  readonly #floods = new FloodWatch();
  readonly #turns = new CallTurns({ mostOfOne, most: mostCalls });

  constructor(options: HttpOptions = {}) {
    const { timeout = 30_000, maxBytes = 2_000_000, refuses, namespaced = false, memory } = options;
    this.#timeout = timeout;
    this.#maxBytes = maxBytes;
    this.#refuses = refuses ?? (() => Promise.resolve({}));
    this.#namespaced = namespaced;
    this.#memory = memory ?? new AnswerMemory();
    this.#client = options.client ?? RenewedClient.ofRuntime();
  }

  /** Ends the connections that it made. */
  close(): void {
    this.#client.close();
  }

  async call(call: HttpCall): Promise<Answer> {
    const url = URL.canParse(call.url) ? new URL(call.url) : undefined;
    // Kyverno parity: transport errors read as Go's do, `Get "<url>": <reason>`. Pinned by
    // tests/adapters/http_test.ts.
    const failed: Failed = (reason, status) => ({
      ok: false,
      status,
      message: `${call.method === "GET" ? "Get" : "Post"} "${call.url}": ${reason}`,
    });
    if (url === undefined) return failed("not an absolute URL");
    if (call.namespace !== undefined && !this.#namespaced) {
      return failed("policies of namespaces may not call services (--namespaced-service-calls lets them)");
    }
    const reading = this.#memory.reading(call.lifetime);
    try {
      const exchange = () => this.#exchange(call, { url, reading, failed });
      // Calls that have their turn may wait for the memory that this evaluation holds: they would wait for each other.
      if (reading.isAwaited) return await exchange();
      return await this.#turns.run(url.host, call, exchange) ?? failed("the request's deadline passed");
    } finally {
      reading.end();
    }
  }

  async #exchange(
    call: HttpCall,
    { url, reading, failed }: {
      readonly url: URL;
      readonly reading: AnswerReading;
      readonly failed: Failed;
    },
  ): Promise<Answer> {
    const pinned = new PinnedClients();
    const refusal = await this.#refusalOf(url, pinned);
    if (refusal !== undefined) return failed(refusal);
    const client = clientFor(call.caBundle);
    if (typeof client === "string") return { ok: false, status: undefined, message: client };
    let answer: AnswerBody | undefined;
    try {
      const sink = ({ ok }: Pick<Response, "ok">) =>
        ok ? answer = new AnswerBody({ reading, isJson: true, whenFull: "wait" }) : discarded;
      const sent = await sendInto(sink, {
        method: call.method,
        url: call.url,
        headers: headersOf(call),
        ...(call.method === "POST" && call.body !== undefined ? { body: JSON.stringify(call.body) } : {}),
        timeout: this.#timeout,
        maxBytes: this.#maxBytes,
        signal: call.signal,
        floods: this.#floods,
        client: (target) => pinned.clientOf(target) ?? (client ? singleUse(client) : this.#client.use()),
        follow: async (target) => await this.#refusalOf(target, pinned) === undefined,
      });
      if (!sent.ok) return this.#failure(sent, reading, failed);
      // The message leaves the service's answer out, because Postern shows it to the user who sent the admission
      // request.
      if (answer === undefined) return failed(`HTTP ${statusLine(sent.status)}`, sent.status);
      const body = answer.value;
      return body === undefined
        ? failed("the answer is not JSON", sent.status)
        : { ok: true, status: sent.status, body };
    } finally {
      client?.close();
      pinned.close();
    }
  }

  #failure(
    { reason, message }: Unanswered,
    reading: AnswerReading,
    failed: (reason: string) => Answer,
  ): Answer {
    switch (reason) {
      case "too large":
        return {
          ok: false,
          status: undefined,
          message: `response length must be less than max allowed response length of ${this.#maxBytes}`,
        };
      case "no room":
        return failed(reading.lack);
      default:
        return failed(reason === "timeout" ? "timed out" : message);
    }
  }

  async #refusalOf(url: URL, pinned: PinnedClients): Promise<string | undefined> {
    const isWeb = url.protocol === "http:" || url.protocol === "https:";
    const { refused, address } = isWeb
      ? await this.#refuses(url)
      : { refused: "only http and https are", address: undefined };
    if (refused !== undefined) return `${url.protocol}//${url.host} is not allowed: ${refused}`;
    if (address !== undefined) pinned.pin(url, address);
    return undefined;
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
  const certificates = caBundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (certificates === null) return "failed to parse PEM CA bundle";
  try {
    // Over HTTP/2 Deno would send a larger body only after the acknowledgement of its headers (docs/listener.md).
    return Deno.createHttpClient({ caCerts: certificates, http2: false });
  } catch {
    return "failed to parse PEM CA bundle";
  }
}

/** For the body of an answer that nobody reads. */
const discarded: BodySink = { add: () => true, end: () => true };
