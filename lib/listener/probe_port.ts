import { answerBytes, plainAnswer } from "./answer_bytes.ts";
import { DateHeader } from "./date_header.ts";
import type { ListenerAnswer } from "./handler.ts";
import type { Vitality } from "./pulse.ts";
import { readHead } from "./request_head.ts";

/** The address of the port, and the functions that answer there. */
export interface ProbePortOptions {
  readonly hostname: string;
  readonly port: number;
  readonly vitality: () => Vitality;
  /** Answers requests that are not probes. */
  readonly answer: (request: ProbeRequest) => Promise<ListenerAnswer>;
}

/** A request that is not a probe, such as one for the metrics. */
export interface ProbeRequest {
  /** Path and query, as sent. */
  readonly target: string;
  /** The IP address of the caller. */
  readonly address: string;
}

/** The most open connections. A further connection replaces the oldest. */
const maxConnections = 256;

/** Milliseconds from accepting a connection to its end. */
const connectionTime = 10_000;

const maxHeadBytes = 16 * 1024;

/** Milliseconds until the next try after an accept failed, for example without a free file descriptor. */
const acceptAgainAfter = 100;

/**
 * A port for probes and metrics, without TLS and with one request for each connection. It uses Deno's sockets and not
 * {@link Listener}, whose Node modules would cost the thread 4 MiB more.
 */
export class ProbePort {
  readonly #options: ProbePortOptions;
  readonly #server: Deno.TcpListener;
  readonly #date = new DateHeader();
  readonly #open = new Set<Deno.TcpConn>();
  #isClosed = false;

  /** Opens the port. Throws the error of the runtime when the port cannot be opened. */
  constructor(options: ProbePortOptions) {
    this.#options = options;
    const { hostname, port } = options;
    this.#server = Deno.listen({ hostname, port });
    void this.#accept();
  }

  get port(): number {
    return this.#server.addr.port;
  }

  /** Closes the port and its connections. */
  close(): void {
    this.#isClosed = true;
    this.#server.close();
    for (const connection of this.#open) this.#end(connection);
  }

  async #accept(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const connection = await this.#server.accept();
        const [oldest] = this.#open;
        if (oldest !== undefined && this.#open.size >= maxConnections) this.#end(oldest);
        this.#open.add(connection);
        void this.#serve(connection);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, acceptAgainAfter));
      }
    }
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
    const timer = setTimeout(() => this.#end(connection), connectionTime);
    try {
      const text = await readHeadText(connection);
      if (text === undefined) return;
      const head = readHead(text);
      const answer = "status" in head
        ? plainAnswer(head.status, head.message)
        : await this.#answer({ target: head.target, address: connection.remoteAddr.hostname });
      const isHead = "method" in head && head.method === "HEAD";
      const bytes = answerBytes(answer, { close: true, isHead, date: this.#date.text() });
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    } catch {
      // The caller has gone, or its time is over.
    } finally {
      clearTimeout(timer);
      this.#end(connection);
    }
  }

  async #answer(request: ProbeRequest): Promise<ListenerAnswer> {
    const vitality = this.#options.vitality();
    switch (request.target) {
      case "/health/liveness":
        return vitality === "stalled" ? text(503, "stalled") : text(200, "ok");
      case "/health/readiness":
        return vitality === "ready" ? text(200, "ok") : text(503, vitality);
      default:
        return await this.#options.answer(request);
    }
  }

  #end(connection: Deno.TcpConn): void {
    if (this.#open.delete(connection)) connection.close();
  }
}

const headers = [["Content-Type", "text/plain; charset=utf-8"]] as const;

function text(status: number, body: string): ListenerAnswer {
  return { status, headers, body };
}

/** Reads the text before the first empty line. `undefined` if the caller ends before it or sends too much. */
async function readHeadText(connection: Deno.TcpConn): Promise<string | undefined> {
  const buffer = new Uint8Array(1024), decoder = new TextDecoder("latin1");
  for (let read = ""; read.length <= maxHeadBytes;) {
    const count = await connection.read(buffer);
    if (count === null) return undefined;
    // The empty line may be split across two pieces.
    const from = Math.max(0, read.length - 3);
    read += decoder.decode(buffer.subarray(0, count));
    const end = read.indexOf("\r\n\r\n", from);
    if (end >= 0) return read.slice(0, end);
  }
  return undefined;
}
