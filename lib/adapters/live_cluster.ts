import { BoundedCache, Fault, jsonSize } from "../json/mod.ts";
import { AnswerBody, isJson } from "./answer_body.ts";
import { AnswerMemory } from "./answer_memory.ts";
import type { AnswerReading } from "./answer_reading.ts";
import {
  type Answer,
  type ApiCall,
  type ApiResource,
  type Clock,
  type Cluster,
  elapsedOn,
  type Entropy,
} from "../ports.ts";
import { failureOf, noAnswer, posternManager, segmentsOf } from "../kube/mod.ts";
import { ApiCredentials } from "./api_credentials.ts";
import { CallTurns, groupOf } from "./call_turns.ts";
import type { Endpoint } from "./kubeconfig.ts";
import { LiveDiscovery } from "./live_discovery.ts";
import { openWatch } from "./open_watch.ts";
import { ReadConnection } from "./read_connection.ts";
import { RenewedClient } from "./renewed_client.ts";
import { type Attempt, retryAfter, withRetries } from "./retry.ts";
import { sendInto } from "./transport.ts";
import type { Following } from "./watched_kind.ts";

/** The bounds of a {@link LiveCluster}; times in milliseconds. */
export interface LiveClusterOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** For a whole call with all its attempts: 15,000. */
  readonly timeout?: number;
  /** For one attempt: 5,000. */
  readonly attemptTimeout?: number;
  /** Attempts of a call that may be repeated, the first included: 4. */
  readonly attempts?: number;
  /** The first pause between attempts: 100. */
  readonly firstDelay?: number;
  /** The longest answer in bytes: 32,000,000. */
  readonly maxBytes?: number;
  /** Bounds the heap of all answers together; unbounded by default. */
  readonly memory?: AnswerMemory;
  /** Reads the token file; from the file system by default. */
  readonly readText?: (path: string) => Promise<string>;
  /** Sent as `User-Agent`; the API server names field managers after its first word. */
  readonly userAgent?: string;
  /** For metrics: called once for each call, even when the call takes several attempts. */
  readonly called?: (call: ApiCall) => void;
  /** Called for each answer of a server that works: a proxy before it, or one that sheds requests, is no sign. */
  readonly answered?: () => void;
}

const longestDelay = 5_000;
/** Characters of all paths with large answers. */
const mostPathLength = 100_000;
/**
 * The most calls of evaluations to one API group and to all that are under way. An API server takes some hundred
 * streams of HTTP/2, of which watches and Postern's work need some: a group whose server hangs must not take all.
 */
const mostOfGroup = 32, mostCalls = 64;
/** The most bytes of a body that an API server takes. Objects share texts, so a larger one is refused unwritten. */
const mostSent = 3 * 1024 * 1024;
const repeatableStatuses = [500, 502, 503, 504];

/**
 * The Kubernetes API over `fetch`. It repeats a read after a failure of the network or the server. It repeats any call
 * that the server did not accept (429, or 503 with `Retry-After`), and after a 401 once more if the token file has a
 * new token. It does not follow redirects. Close it to release its connections.
 */
export class LiveCluster implements Cluster {
  readonly #endpoint: Endpoint;
  /** For calls without a body, and for watches: one HTTP/2 connection for all. */
  readonly #reads: ReadConnection;
  /** For calls with a body: over HTTP/1.1, as over HTTP/2 Deno lets a body wait for 40 ms (docs/listener.md). */
  readonly #bodies: RenewedClient;
  readonly #credentials: ApiCredentials;
  readonly #discovery: LiveDiscovery;
  /** The bytes of heap that large answers took last, by path, so that their next ones wait before they are read. */
  readonly #sizes = new BoundedCache<number>(mostPathLength, (_, path) => path.length);
  readonly #turns = new CallTurns({ mostOfOne: mostOfGroup, most: mostCalls });
  readonly #options:
    & Required<Omit<LiveClusterOptions, "readText" | "called" | "answered">>
    & Pick<LiveClusterOptions, "called" | "answered">;

  private constructor(
    endpoint: Endpoint,
    options: LiveClusterOptions,
    clients: { readonly reads: RenewedClient; readonly bodies: RenewedClient },
  ) {
    const { readText = (path) => Deno.readTextFile(path) } = options;
    this.#options = {
      timeout: 15_000,
      attemptTimeout: 5_000,
      attempts: 4,
      firstDelay: 100,
      maxBytes: 32_000_000,
      memory: new AnswerMemory(),
      userAgent: posternManager,
      ...options,
    };
    this.#endpoint = endpoint;
    this.#reads = new ReadConnection(clients.reads);
    this.#bodies = clients.bodies;
    this.#credentials = new ApiCredentials(endpoint, { readText, clock: options.clock });
    this.#discovery = new LiveDiscovery((path) => this.call({ method: "GET", path }), options.clock);
  }

  /**
   * Makes a client for an endpoint; a fault when its certificates or key cannot be used. Runtimes other than Deno must
   * trust the API server's certificate themselves.
   */
  static connect(endpoint: Endpoint, options: LiveClusterOptions): LiveCluster | Fault {
    const { ca, clientCertificate: cert, clientKey: key, proxy } = endpoint;
    if (typeof Deno === "undefined") {
      const clientOption = ca ?? cert ?? key ?? proxy;
      const clients = RenewedClient.ofRuntime();
      return clientOption === undefined
        ? new LiveCluster(endpoint, options, { reads: clients, bodies: clients })
        : new Fault(
          `${endpoint.server}: certificates and proxies in its settings can be used on Deno only; ` +
            "elsewhere the runtime must trust the API server (Node.js: NODE_EXTRA_CA_CERTS)",
        );
    }
    try {
      const connection = {
        ...(ca === undefined ? {} : { caCerts: [ca] }),
        ...(cert === undefined || key === undefined ? {} : { cert, key }),
        ...(proxy === undefined ? {} : { proxy: { url: proxy } }),
      };
      const reads = () => Deno.createHttpClient(connection);
      const bodies = () => Deno.createHttpClient({ ...connection, http2: false });
      return new LiveCluster(endpoint, options, {
        reads: new RenewedClient(reads, reads()),
        bodies: new RenewedClient(bodies, bodies()),
      });
    } catch (error) {
      // The message comes from the TLS library. It names the part that the library could not read, never its content.
      const reason = error instanceof Error ? error.message : String(error);
      return new Fault(`${endpoint.server}: the certificates or the key cannot be used: ${reason}`);
    }
  }

  close(): void {
    this.#reads.close();
    this.#bodies.close();
  }

  async call(call: ApiCall): Promise<Answer> {
    this.#options.called?.(call);
    // `isObjectName` says why: a write to all objects would be worse than a list of them, so none is sent.
    const isUnnamed = /^(?:PUT|PATCH|DELETE) [^?]*\/(?:\?|$)/.test(`${call.method} ${call.path}`);
    if (isUnnamed || segmentsOf(call.path.split("?")[0]!) === undefined) {
      return { ...noAnswer(call, "the path is not one of the Kubernetes API"), status: 404 };
    }
    if (call.signal?.aborted === true) return noAnswer(call, "the request's deadline passed");
    if (call.body !== undefined && jsonSize(call.body, mostSent) > mostSent) {
      return failureOf(call, 413, `Request entity too large: limit is ${mostSent}`);
    }
    const reading = this.#options.memory.reading(call.lifetime);
    try {
      return await this.#read(call, reading);
    } finally {
      reading.end();
    }
  }

  /** Makes a call, and again when there is room for its answer: only reads may be repeated. */
  async #read(call: ApiCall, reading: AnswerReading): Promise<Answer> {
    const { method, path, signal } = call;
    const expected = method === "GET" ? this.#sizes.get(path) : undefined;
    if (expected !== undefined && !await reading.reserve(expected, signal)) {
      return noAnswer(call, reading.lack);
    }
    for (;;) {
      const answer = await this.#answer(call, reading);
      const isRefused = method === "GET" && reading.mustWait;
      if (!isRefused && reading.isLarge) this.#sizes.set(path, reading.most);
      if (!isRefused || !await reading.restart(signal)) return answer;
    }
  }

  async #answer(call: ApiCall, reading: AnswerReading): Promise<Answer> {
    const { clock, entropy, attempts, firstDelay, timeout } = this.#options;
    const until = elapsedOn(clock) + timeout;
    const answer = () =>
      withRetries(() => this.#attemptAtTurn(call, reading, until), {
        clock,
        entropy,
        attempts,
        firstDelay,
        maxDelay: longestDelay,
        until,
        signal: call.signal,
      });
    const first = await answer();
    const refused = !first.ok && first.status === 401 && await this.#credentials.renewed();
    return refused ? await answer() : first;
  }

  /**
   * Opens a watch: returns the lines of the answer, which arrive until the signal aborts. It repeats no failed call.
   */
  async follow(path: string, signal: AbortSignal, accept?: string): Promise<Following> {
    const call: ApiCall = { method: "GET", path, signal, ...(accept !== undefined && { accept }) };
    if (segmentsOf(path.split("?")[0]!) === undefined) {
      return noAnswer(call, "the path is not one of the Kubernetes API");
    }
    const opened = await openWatch(this.#reads, {
      call,
      signal,
      headers: await this.#headers(call),
      url: this.#urlOf(path),
      clock: this.#options.clock,
    });
    if (opened.ok) this.#options.answered?.();
    else if (opened.status === 401) await this.#credentials.renewed();
    return opened;
  }

  resource(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    return this.#discovery.resource(apiVersion, kind);
  }

  async #attemptAtTurn(call: ApiCall, reading: AnswerReading, until: number): Promise<Attempt<Answer>> {
    const attempt = () => this.#attempt(call, reading, until);
    // Evaluations have turns. Calls that have theirs may wait for the memory that this one holds: they would wait for
    // each other.
    if (call.lifetime === undefined || reading.isAwaited) return await attempt();
    const late = { value: noAnswer(call, "the request's deadline passed"), again: undefined };
    return await this.#turns.run(groupOf(call.path), call, attempt) ?? late;
  }

  async #attempt(call: ApiCall, reading: AnswerReading, until: number): Promise<Attempt<Answer>> {
    const { attemptTimeout, maxBytes, clock } = this.#options;
    const isRead = call.method === "GET";
    const headers = await this.#headers(call);
    let answer: AnswerBody | undefined;
    // All reads share one connection, so none may keep its answer on it.
    const sink = ({ headers }: Pick<Response, "headers">) =>
      answer = new AnswerBody({ reading, isJson: isJson(headers), whenFull: isRead ? "end" : "wait" });
    const sent = await sendInto(sink, {
      method: call.method,
      url: this.#urlOf(call.path),
      headers,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      timeout: Math.max(1, Math.min(attemptTimeout, until - elapsedOn(clock))),
      maxBytes,
      signal: call.signal,
      client: () => call.body === undefined ? this.#reads.use(call.path) : this.#bodies.use(),
    });
    if (!sent.ok) {
      const isRetryable = sent.reason === "network" || sent.reason === "timeout";
      const message = sent.reason === "no room" ? reading.lack : sent.message;
      const isTooLong = sent.reason === "too large" || sent.reason === "no room" && reading.isTooLarge;
      const value = { ...noAnswer(call, message), ...(isTooLong && { isTooLong }) };
      return { value, again: isRetryable && isRead ? 0 : undefined };
    }
    if (sent.status < 500 && sent.status !== 429) this.#options.answered?.();
    const body = answer?.value;
    if (sent.status >= 200 && sent.status < 300) {
      if (body === undefined) return { value: noAnswer(call, "the answer is not JSON"), again: undefined };
      const date = Date.parse(sent.headers.get("date") ?? "");
      const dated = Number.isNaN(date) ? {} : { date };
      return { value: { ok: true, status: sent.status, body, ...dated }, again: undefined };
    }
    const retryDelay = retryAfter(sent.headers, clock);
    const notTaken = sent.status === 429 || sent.status === 503 && sent.headers.has("retry-after");
    const again = notTaken || isRead && repeatableStatuses.includes(sent.status) ? retryDelay : undefined;
    return { value: failureOf(call, sent.status, body ?? answer?.start ?? ""), again };
  }

  #urlOf(path: string): string {
    return `${this.#endpoint.server}${path.replaceAll("#", "%23")}`;
  }

  async #headers(call: ApiCall): Promise<Record<string, string>> {
    const headers: Record<string, string> = {
      accept: call.accept ?? "application/json",
      "user-agent": this.#options.userAgent,
      // The API server is near: compressing a page of a list costs both sides more time than sending it uncompressed.
      "accept-encoding": "identity",
    };
    if (call.body !== undefined) headers["content-type"] = call.contentType ?? "application/json";
    const authorization = await this.#credentials.authorization();
    if (authorization !== undefined) headers["authorization"] = authorization;
    return headers;
  }
}
