import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type Server as SecureServer, type TLSSocket } from "node:tls";
import { ByteBudget } from "./byte_budget.ts";
import { certificateProblem } from "./certificate_check.ts";
import { type Activity, Connection, type Service } from "./connection.ts";
import { type Announced, type Fetch, fetchHandler, type Handler, type ListenerAnswer } from "./handler.ts";
import { Handshakes } from "./handshakes.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { Outbox } from "./outbox.ts";
import { Turns } from "./turns.ts";

/** A certificate with its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** The CA certificates that callers must trust, in base64 as webhook configurations have them. */
  readonly caBundle?: string | undefined;
}

/** Where certificates come from; what cannot be used leaves the former certificate in its place. */
export interface KeyPairs {
  current(): Promise<
    | { readonly certificate: KeyPair; readonly problem?: string }
    | { readonly certificate: undefined; readonly problem: string }
  >;
}

/** Where and what to serve. */
export interface ListenerOptions {
  readonly hostname: string;
  readonly port: number;
  /** Answers requests: a web handler, or one that takes the request as it was read. */
  readonly serve: { readonly fetch: Fetch } | { readonly handler: Handler };
  /** Absent for plain HTTP. */
  readonly certificates?: KeyPairs;
  /** PEM of the authority whose client certificates are accepted; without it no client certificate is requested. */
  readonly clientAuthority?: string;
  /** Refuses a request before its body is read. */
  readonly screen?: (announced: Announced) => ListenerAnswer | undefined;
  /** For how many milliseconds a caller waits for the answer; ten seconds by default. */
  readonly answerTime?: (target: string) => number;
  /** Called when a certificate cannot be renewed, and when a handler throws. */
  readonly problem: (message: string) => void;
  /** Milliseconds between looks for a newer certificate: an hour by default. */
  readonly lookEvery?: number;
  readonly limits?: Partial<Limits>;
}

/** The caller may close its side first, and no part of an answer waits for another. */
const tcpOptions = { allowHalfOpen: true, noDelay: true };

/** Milliseconds between looks for connections whose time is over. */
const sweepEvery = 500;

/** How long no request must have come before idle connections are closed. */
const quietTime = 1_000;

/**
 * A port for HTTP/1.1, with TLS or without. A new certificate is used from the next connection on, and connections that
 * began with the former one end with their next answer; the port stays open. See `docs/listener.md` for how it was chosen.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #limits: Limits;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  /** Makes TLS of connections; it has no port of its own. Absent for plain HTTP. */
  readonly #secure: SecureServer | undefined;
  readonly #handshakes: Handshakes;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #certificate: KeyPair | undefined;
  /** Counts certificates. */
  #generation = 0;
  #isClosing = false;
  #lastAnswer = 0;
  #lastSweep = performance.now();

  private constructor(options: ListenerOptions, certificate: KeyPair | undefined) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#certificate = certificate;
    const { serve, screen, answerTime, problem } = options;
    const service: Service = {
      handler: "fetch" in serve ? fetchHandler(serve.fetch) : serve.handler,
      limits: this.#limits,
      budget: new ByteBudget(this.#limits.allBodyBytes),
      turns: new Turns(),
      outbox: new Outbox(),
      screen: screen ?? (() => undefined),
      answerTime: answerTime ?? (() => 10_000),
      problem,
      ends: (generation) => this.#isClosing || generation !== this.#generation,
      answered: () => void (this.#lastAnswer = performance.now()),
    };
    const secure = certificate && this.#makeSecureServer(service, certificate);
    this.#secure = secure;
    this.#handshakes = new Handshakes({
      slots: this.#limits.handshakes,
      time: this.#limits.handshakeTime,
      begin: (socket) => void secure?.emit("connection", socket),
    });
    this.#server = createPlainServer(tcpOptions, (socket) => this.#arrived(socket, service));
  }

  /** Opens the port; a text says why it cannot be opened. */
  static async open(options: ListenerOptions): Promise<Listener | string> {
    const reading = await options.certificates?.current();
    if (reading !== undefined && reading.certificate === undefined) return reading.problem;
    const certificate = reading?.certificate;
    const problem = certificate && await certificateProblem(certificate);
    if (problem !== undefined) return `the certificate cannot be served: ${problem}`;
    const where = `${options.hostname}:${options.port}`;
    try {
      const listener = new Listener(options, certificate);
      await listener.#listen();
      return listener;
    } catch (cause) {
      return `cannot listen on ${where}: ${cause instanceof Error ? cause.message : String(cause)}`;
    }
  }

  /** The port in use, also when the option was 0. */
  get port(): number {
    const address = this.#server.address();
    return address === null || typeof address === "string" ? 0 : address.port;
  }

  /** The CA certificates that callers must trust, in base64 as webhook configurations have them. */
  get caBundle(): string | undefined {
    return this.#certificate?.caBundle;
  }

  /** Looks for a newer certificate and uses it, if it serves. */
  async renew(): Promise<void> {
    const reading = await this.#options.certificates?.current();
    if (reading?.problem !== undefined) this.#options.problem(reading.problem);
    const certificate = reading?.certificate;
    if (certificate === undefined || certificate.cert === this.#certificate?.cert) return;
    const problem = await certificateProblem(certificate);
    if (problem !== undefined) {
      return this.#options.problem(`the new certificate cannot be served, the former stays: ${problem}`);
    }
    this.#certificate = certificate;
    this.#generation++;
    this.#secure?.setSecureContext(this.#secureOptions(certificate));
  }

  /**
   * Closes the port. From now on each answer ends its connection; after a second without requests, no new connection
   * is accepted. It ends when all requests are answered, at the latest after `closeTime`.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    const started = performance.now();
    const isOver = () => performance.now() - started > this.#limits.closeTime;
    const isQuiet = () =>
      this.#busy() === 0 && performance.now() - Math.max(started, this.#lastAnswer) > quietTime;
    while (this.#connections.size > 0 && !isQuiet() && !isOver()) await pause(50);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) {
      if (isFree(connection)) connection.end();
    }
    while (this.#connections.size > 0 && !isOver()) await pause(20);
    for (const connection of this.#connections) connection.destroy();
    for (const timer of this.#timers) clearInterval(timer);
    this.#handshakes.close();
    await Promise.race([closed, pause(100)]);
  }

  #makeSecureServer(service: Service, certificate: KeyPair): SecureServer {
    const server = createSecureServer({
      ...tcpOptions,
      ...this.#secureOptions(certificate),
      handshakeTimeout: this.#limits.handshakeTime,
    }, (socket: TLSSocket) => {
      this.#handshakes.ended(socket);
      this.#accept(socket, service, socket.authorized);
    });
    // A caller without TLS, or one that does not trust the certificate: its connection is over, nothing else.
    server.on("tlsClientError", (_cause, socket) => void socket.destroy());
    return server;
  }

  #secureOptions({ cert, key }: KeyPair): Record<string, unknown> {
    const { clientAuthority: ca } = this.#options;
    // A caller without a certificate may still ask for the server's health: `screen` decides.
    return { cert, key, ...(ca !== undefined && { ca, requestCert: true, rejectUnauthorized: false }) };
  }

  #arrived(socket: Socket, service: Service): void {
    this.#makeRoom();
    // Those of little use have made room; where none could, half as many more are taken.
    if (this.#connections.size + this.#handshakes.size > this.#limits.connections * 1.5) {
      socket.destroy();
      return;
    }
    if (this.#secure === undefined) this.#accept(socket, service, true);
    else this.#handshakes.add(socket);
  }

  #accept(socket: Socket, service: Service, isAuthorized: boolean): void {
    const authenticated = this.#options.clientAuthority !== undefined && isAuthorized;
    const connection = new Connection(socket, service, { generation: this.#generation, authenticated });
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
  }

  async #listen(): Promise<void> {
    const { hostname, port, certificates, lookEvery = 3_600_000 } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host: hostname, port }, () => resolve());
    });
    // An accept that fails, as when there are no more files, concerns that connection alone.
    this.#server.on(
      "error",
      (cause) => this.#options.problem(`a connection was not taken: ${cause.message}`),
    );
    this.#repeat(() => this.#sweep(), sweepEvery);
    if (certificates !== undefined) this.#repeat(() => void this.renew(), lookEvery);
  }

  #repeat(what: () => void, milliseconds: number): void {
    const timer = setInterval(what, milliseconds);
    Deno.unrefTimer(Number(timer));
    this.#timers.push(timer);
  }

  /** Ends what takes too long. Time that this process was held up itself does not count. */
  #sweep(): void {
    const now = performance.now();
    const late = now - this.#lastSweep - sweepEvery;
    this.#handshakes.expire(now);
    this.#lastSweep = now;
    for (const connection of this.#connections) {
      if (late > sweepEvery) connection.extend(late);
      else connection.expire(now);
    }
  }

  /** Gives up what is of least use when there are too many: the first that ends of the first kind. */
  #makeRoom(): void {
    const { connections: most } = this.#limits;
    if (this.#connections.size + this.#handshakes.size < most) return;
    if (this.#handshakes.size > most / 4) return this.#handshakes.dropOldest();
    const young = performance.now() + this.#limits.newTime - quietTime;
    let least: Connection | undefined;
    for (const connection of this.#connections) {
      if (rank[connection.activity] === undefined) continue;
      if (connection.activity === "new" && connection.until > young) continue;
      if (least === undefined || isLess(connection, least)) least = connection;
    }
    if (least === undefined) return;
    // At once: a burst of callers comes before the end of the connection is noticed, and each makes room once.
    this.#connections.delete(least);
    least.destroy();
  }

  #busy(): number {
    let busy = 0;
    for (const connection of this.#connections) {
      if (!isFree(connection) && connection.activity !== "lingering") busy++;
    }
    return busy;
  }
}

/**
 * The order in which connections are closed to make room; a connection whose request is being handled is never
 * closed. A new connection, such as a health check, is closed after those that had their turn.
 */
const rank: Readonly<Partial<Record<Activity, number>>> = {
  lingering: 0,
  idle: 1,
  head: 2,
  body: 3,
  writing: 4,
  new: 5,
};

/** Whether a connection has no request. */
function isFree({ activity }: Connection): boolean {
  return activity === "idle" || activity === "new";
}

function isLess(one: Connection, other: Connection): boolean {
  const difference = rank[one.activity]! - rank[other.activity]!;
  return difference < 0 || difference === 0 && one.until < other.until;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
