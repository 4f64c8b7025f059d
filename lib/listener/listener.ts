import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import {
  createServer as createSecureServer,
  type SecureContextOptions,
  type Server as SecureServer,
  type TlsOptions,
  type TLSSocket,
} from "node:tls";
import { ByteBudget } from "./byte_budget.ts";
import { certificateProblem } from "./certificate_check.ts";
import { type Activity, Connection } from "./connection.ts";
import { DateHeader } from "./date_header.ts";
import { type Announced, type Fetch, fetchHandler, type Handler, type ListenerAnswer } from "./handler.ts";
import { Handshakes } from "./handshakes.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { Outbox } from "./outbox.ts";
import type { Service } from "./service.ts";
import { Turns } from "./turns.ts";
import { UnreadAnswers } from "./unread_answers.ts";
import { VerifiedCallers } from "./verified_callers.ts";

/** A certificate with its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** The CA certificates that callers must trust, in base64 as webhook configurations have them. */
  readonly caBundle?: string | undefined;
}

/** The source of certificates. The listener keeps the former certificate when it cannot use a new one. */
export interface KeyPairs {
  current(): Promise<
    | { readonly certificate: KeyPair; readonly problem?: string }
    | { readonly certificate: undefined; readonly problem: string }
  >;
}

/** The address of the port, the handler of its requests, and the certificates. */
export interface ListenerOptions {
  readonly hostname: string;
  readonly port: number;
  /** Answers requests: a web handler (`fetch`), or a handler that takes the request as the listener read it. */
  readonly serve: { readonly fetch: Fetch } | { readonly handler: Handler };
  /** Absent for plain HTTP. */
  readonly certificates?: KeyPairs;
  /** PEM of the CA that signs client certificates. Without it the listener requests no client certificate. */
  readonly clientAuthority?: string;
  /** Reads that authority again, with each check for a newer certificate. A problem leaves the former in force. */
  readonly nextClientAuthority?: (() => Promise<string | { readonly problem: string }>) | undefined;
  /** Returns an answer to reject a request before the listener reads its body. */
  readonly screen?: (announced: Announced) => ListenerAnswer | undefined;
  /** How many milliseconds the caller of this target waits for the answer; ten seconds by default. */
  readonly answerTime?: (target: string) => number;
  /** Receives a message when the listener cannot renew a certificate or accept a connection, or a handler throws. */
  readonly problem: (message: string) => void;
  /** Milliseconds between two checks for a newer certificate: an hour by default. */
  readonly lookEvery?: number;
  readonly limits?: Partial<Limits>;
}

/** A caller may close its side and still read the answer. TCP sends small segments at once (no Nagle delay). */
const tcpOptions = { allowHalfOpen: true, noDelay: true };

/** Milliseconds between two checks for connections that have exceeded their time. */
const sweepEvery = 500;

/** Milliseconds between two checks of `close`, and how many in a row must find no request before it closes idle connections. */
const checkEvery = 50, quietChecks = 20;

/** How many milliseconds a new connection is spared when room is made. */
const sparedTime = 1_000;

/**
 * A port for HTTP/1.1, with TLS or without. New connections use a new certificate; a connection with the former
 * certificate ends with its next answer; the port stays open. `docs/listener.md` explains this design.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #limits: Limits;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  /** Runs TLS on accepted connections; it listens on no port. Absent for plain HTTP. */
  readonly #secure: SecureServer | undefined;
  readonly #handshakes: Handshakes;
  readonly #callers = new VerifiedCallers();
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #certificate: KeyPair | undefined;
  #authority: string | undefined;
  /** The number of the current certificate. Each renewal increments it. */
  #generation = 0;
  #isClosing = false;
  #answers = 0;
  #lastSweep = performance.now();

  private constructor(options: ListenerOptions, certificate: KeyPair | undefined) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#certificate = certificate;
    this.#authority = options.clientAuthority;
    const { serve, screen, answerTime, problem } = options;
    const service: Service = {
      handler: "fetch" in serve ? fetchHandler(serve.fetch) : serve.handler,
      limits: this.#limits,
      budget: new ByteBudget(this.#limits.allBodyBytes, this.#limits.waitingBytes),
      smallBudget: new ByteBudget(this.#limits.allSmallBytes, this.#limits.waitingBytes),
      turns: new Turns(),
      outbox: new Outbox(),
      date: new DateHeader(),
      unread: new UnreadAnswers(this.#limits.unreadBytes, this.#connections),
      screen: screen ?? (() => undefined),
      answerTime: answerTime ?? (() => 10_000),
      problem,
      ends: (generation) => this.#isClosing || generation !== this.#generation,
      answered: () => void this.#answers++,
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

  /** Opens the port. A returned text says why it cannot open it. */
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

  /** The number of answers so far. */
  get answers(): number {
    return this.#answers;
  }

  /** The CA certificates that callers must trust, in base64 as webhook configurations have them. */
  get caBundle(): string | undefined {
    return this.#certificate?.caBundle;
  }

  /** Checks for a newer certificate and a newer authority of callers, and uses them if TLS accepts them. */
  async renew(): Promise<void> {
    const cert = await this.#newCertificate(), authority = await this.#newAuthority();
    const certificate = cert ?? this.#certificate;
    if (certificate === undefined || cert === undefined && authority === undefined) return;
    const secure = this.#secureOptions(certificate, authority);
    const problem = await certificateProblem(secure);
    if (problem !== undefined) {
      return this.#options.problem(`the new certificate cannot be served, the former stays: ${problem}`);
    }
    this.#certificate = certificate;
    if (authority !== undefined) this.#callers.clear();
    this.#authority = authority ?? this.#authority;
    this.#generation++;
    this.#secure?.setSecureContext(secure);
  }

  async #newCertificate(): Promise<KeyPair | undefined> {
    const reading = await this.#options.certificates?.current();
    if (reading?.problem !== undefined) this.#options.problem(reading.problem);
    return reading?.certificate?.cert === this.#certificate?.cert ? undefined : reading?.certificate;
  }

  async #newAuthority(): Promise<string | undefined> {
    const reading = await this.#options.nextClientAuthority?.();
    if (typeof reading === "string") return reading === this.#authority ? undefined : reading;
    if (reading !== undefined) this.#options.problem(`the former authority stays: ${reading.problem}`);
    return undefined;
  }

  /**
   * Closes the port. From now on each answer ends its connection. After a second without requests the listener accepts
   * no new connection. The promise resolves when all requests are answered, at the latest after `closeTime`.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    const started = performance.now();
    const isOver = () => performance.now() - started > this.#limits.closeTime;
    // It counts checks instead of time: when the process was held up, requests may wait that it has not read yet.
    let checks = 0, answers = this.#answers;
    while (this.#connections.size > 0 && checks < quietChecks && !isOver()) {
      await pause(checkEvery);
      checks = this.#busy() === 0 && this.#answers === answers ? checks + 1 : 0;
      answers = this.#answers;
    }
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
      this.#accept(socket, service, this.#authority !== undefined && this.#callers.isVerified(socket));
    });
    // A caller that speaks no TLS or does not trust the certificate loses only its connection.
    server.on("tlsClientError", (_cause, socket) => void socket.destroy());
    return server;
  }

  #secureOptions({ cert, key }: KeyPair, ca = this.#authority): SecureContextOptions & TlsOptions {
    // A caller without a certificate may still send health checks, so `screen` decides and not TLS.
    return { cert, key, ...(ca !== undefined && { ca, requestCert: true, rejectUnauthorized: false }) };
  }

  #arrived(socket: Socket, service: Service): void {
    this.#makeRoom();
    // `#makeRoom` may find no connection to close. The listener therefore accepts up to half as many more.
    if (this.#connections.size + this.#handshakes.size > this.#limits.connections * 1.5) {
      socket.destroy();
      return;
    }
    if (this.#secure === undefined) this.#accept(socket, service, false);
    else this.#handshakes.add(socket);
  }

  #accept(socket: Socket, service: Service, authenticated: boolean): void {
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
    // An accept that fails, for example without a free file descriptor, affects only that connection.
    this.#server.on(
      "error",
      (cause) => this.#options.problem(`a connection could not be accepted: ${cause.message}`),
    );
    this.#repeat(() => this.#sweep(), sweepEvery);
    if (certificates !== undefined) this.#repeat(() => void this.renew(), lookEvery);
  }

  #repeat(what: () => void, milliseconds: number): void {
    const timer = setInterval(what, milliseconds);
    Deno.unrefTimer(Number(timer));
    this.#timers.push(timer);
  }

  /** Ends connections that take too long. It does not count the time in which this process itself was blocked. */
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

  /**
   * Closes one connection or handshake when there are too many. It takes the oldest handshake when handshakes are more
   * than a quarter of the limit, and else the connection of the lowest rank, of these the one that expires first. It
   * spares new connections of the last second.
   */
  #makeRoom(): void {
    const { connections: most } = this.#limits;
    if (this.#connections.size + this.#handshakes.size < most) return;
    if (this.#handshakes.size > most / 4) return this.#handshakes.dropOldest();
    const young = performance.now() + this.#limits.newTime - sparedTime;
    let least: Connection | undefined;
    for (const connection of this.#connections) {
      if (rank[connection.activity] === undefined) continue;
      if (connection.activity === "new" && connection.until > young) continue;
      if (least === undefined || isLess(connection, least)) least = connection;
    }
    if (least === undefined) return;
    // Removed at once: more callers may arrive before the "close" event, and each must close another connection.
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
 * The order in which the listener closes connections to make room. It never closes a connection whose request a handler
 * works on. It closes a new connection, such as a health check, after those that already had a request.
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
