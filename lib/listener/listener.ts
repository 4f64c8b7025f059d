import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type Server as SecureServer, type TLSSocket } from "node:tls";
import { pause } from "../pause.ts";
import { ByteBudget } from "./byte_budget.ts";
import type { Caller } from "./caller.ts";
import { Connection } from "./connection.ts";
import { Connections } from "./connections.ts";
import { DateHeader } from "./date_header.ts";
import { type Announced, type Fetch, fetchHandler, type Handler, type ListenerAnswer } from "./handler.ts";
import { Handshakes } from "./handshakes.ts";
import { listenProblem } from "./listen_problem.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { KeptBytes } from "./kept_bytes.ts";
import type { KeyPairs } from "./key_pair.ts";
import { Outbox } from "./outbox.ts";
import type { Service } from "./service.ts";
import { TlsSettings, type TlsSources } from "./tls_settings.ts";
import { JobTurns } from "./job_turns.ts";
import { UnreadAnswers } from "./unread_answers.ts";

/** The address of the port, the handler of its requests, and the sources of its certificates. */
export interface ListenerOptions extends Omit<TlsSources, "certificates"> {
  readonly hostname: string;
  readonly port: number;
  /** Answers requests: a web handler (`fetch`), or a handler that takes the request as the listener read it. */
  readonly serve: { readonly fetch: Fetch } | { readonly handler: Handler };
  /** Absent for plain HTTP. */
  readonly certificates?: KeyPairs;
  /** Returns an answer to reject a request before the listener reads its body. */
  readonly screen?: (announced: Announced) => ListenerAnswer | undefined;
  /** How many milliseconds the caller of this target waits for the answer; ten seconds by default. */
  readonly answerTime?: (target: string) => number;
  /** Receives a message when the listener cannot renew a certificate or accept a connection, or a handler throws. */
  readonly problem: (message: string) => void;
  /** Milliseconds between two checks for a newer certificate: an hour by default. */
  readonly checkEvery?: number;
  /**
   * Collects V8's garbage when there is much. Called from time to time while callers connect or send many requests at
   * once: what TLS used, and buffers that were read, are freed with it.
   */
  readonly collectGarbage?: () => void;
  readonly limits?: Partial<Limits>;
}

/** A caller may close its side and still read the answer. TCP sends small segments at once (no Nagle delay). */
const tcpOptions = { allowHalfOpen: true, noDelay: true };

/** Milliseconds between two checks for connections that have exceeded their time. */
const sweepEvery = 500;

/** Milliseconds between two checks of `close`, which closes idle connections when so many in a row found no request. */
const closeCheckEvery = 50, quietChecks = 20;

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
  readonly #connections = new Connections();
  /** Absent for plain HTTP. */
  readonly #tls: TlsSettings | undefined;
  /** Runs TLS on accepted connections; it listens on no port. Absent for plain HTTP. */
  readonly #secure: SecureServer | undefined;
  readonly #handshakes: Handshakes;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #isClosing = false;
  #answers = 0;
  #lastSweep = performance.now();

  private constructor(options: ListenerOptions, tls: TlsSettings | undefined) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#tls = tls;
    const { serve, screen, answerTime, problem } = options;
    const outbox = new Outbox();
    const service: Service = {
      handler: "fetch" in serve ? fetchHandler(serve.fetch) : serve.handler,
      limits: this.#limits,
      budget: new ByteBudget(this.#limits.allBodyBytes, { mostKept: this.#limits.waitingBytes }),
      smallBudget: new ByteBudget(this.#limits.allSmallBytes, {
        mostKept: this.#limits.waitingBytes,
        mostUnfinished: this.#limits.allSmallBytes / 2,
      }),
      ahead: new KeptBytes(this.#limits.aheadBytes),
      turns: new JobTurns({ ended: outbox.flush }),
      outbox,
      date: new DateHeader(),
      unread: new UnreadAnswers(this.#limits.unreadBytes, this.#connections),
      screen: screen ?? (() => undefined),
      answerTime: answerTime ?? (() => 10_000),
      collectGarbage: options.collectGarbage ?? (() => {}),
      problem,
      ends: (generation) => this.#isClosing || generation !== this.#generation,
      answered: () => void this.#answers++,
    };
    const secure = tls && this.#makeSecureServer(service, tls);
    this.#secure = secure;
    this.#handshakes = new Handshakes({
      slots: this.#limits.handshakes,
      time: this.#limits.handshakeTime,
      begin: (socket) => void secure?.emit("connection", socket),
      afterMany: options.collectGarbage,
    });
    this.#server = createPlainServer(tcpOptions, (socket) => this.#arrived(socket, service));
  }

  /** Opens the port. A returned text says why it cannot open it. */
  static async open(options: ListenerOptions): Promise<Listener | string> {
    const { certificates } = options;
    const tls = certificates && await TlsSettings.read({ ...options, certificates });
    if (typeof tls === "string") return tls;
    try {
      const listener = new Listener(options, tls);
      await listener.#listen();
      return listener;
    } catch (cause) {
      return listenProblem(options.hostname, options.port, cause);
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
    return this.#tls?.caBundle;
  }

  get #generation(): number {
    return this.#tls?.generation ?? 0;
  }

  /** Checks for a newer certificate and a newer authority of callers, and uses them if TLS accepts them. */
  async renew(): Promise<void> {
    const tls = this.#tls;
    if (tls !== undefined && await tls.renew()) this.#secure?.setSecureContext(tls.options);
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
      await pause(closeCheckEvery);
      checks = this.#connections.busy === 0 && this.#answers === answers ? checks + 1 : 0;
      answers = this.#answers;
    }
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#connections.endFree();
    while (this.#connections.size > 0 && !isOver()) await pause(20);
    this.#connections.destroy();
    for (const timer of this.#timers) clearInterval(timer);
    this.#handshakes.close();
    await Promise.race([closed, pause(100)]);
  }

  #makeSecureServer(service: Service, tls: TlsSettings): SecureServer {
    const server = createSecureServer({
      ...tcpOptions,
      ...tls.options,
      // No timer: the runtime keeps it, with all that a handshake used, when the caller has gone. `Handshakes` has
      // deadlines.
      handshakeTimeout: -1,
    }, (socket: TLSSocket) => {
      const transport = this.#handshakes.ended(socket);
      this.#accept(socket, service, { authenticated: tls.isAuthenticated(socket), transport });
    });
    // A caller that speaks no TLS or does not trust the certificate loses only its connection.
    server.on("tlsClientError", (_cause, socket) => void socket.destroy());
    return server;
  }

  #arrived(socket: Socket, service: Service): void {
    this.#makeRoom();
    // `#makeRoom` may find no connection to close. The listener therefore accepts up to half as many more.
    if (this.#connections.size + this.#handshakes.size > this.#limits.connections * 1.5) {
      socket.destroy();
      return;
    }
    if (this.#secure === undefined) {
      this.#accept(socket, service, { authenticated: false, transport: undefined });
    } else this.#handshakes.add(socket);
  }

  #accept(socket: Socket, service: Service, caller: Pick<Caller, "authenticated" | "transport">): void {
    const connection = new Connection(socket, service, { generation: this.#generation, ...caller });
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
  }

  async #listen(): Promise<void> {
    const { hostname, port, certificates, checkEvery = 3_600_000 } = this.#options;
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
    if (certificates !== undefined) this.#repeat(() => void this.renew(), checkEvery);
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
    if (late > sweepEvery) this.#connections.extend(late);
    else this.#connections.expire(now);
  }

  /**
   * Closes one connection or handshake when there are too many. It takes the oldest handshake when handshakes are more
   * than a quarter of the limit. Otherwise it takes, of the connections with the lowest rank, the one that expires
   * first. It spares new connections of the last second.
   */
  #makeRoom(): void {
    const { connections: most } = this.#limits;
    if (this.#connections.size + this.#handshakes.size < most) return;
    if (this.#handshakes.size > most / 4) return this.#handshakes.dropOldest();
    this.#connections.closeLeastUseful(performance.now() + this.#limits.newTime - sparedTime);
  }
}
