import type { Socket } from "node:net";

/** The part of a socket that Node.js does not document: what reads from the system. */
interface ReadingSocket {
  readonly _handle?: { readStop?(): void; readStart?(): void } | null;
}

/**
 * Reads from a connection, or leaves its bytes in the system, which then stops the caller.
 *
 * `pause` of a TLS socket is not enough: the runtime goes on to read and decrypt, without a bound. 40 callers that
 * sent to paused sockets took 750 MiB in four seconds. What is below TLS must therefore stop, too.
 */
export class SocketReading {
  readonly #socket: Socket;
  /** The socket below TLS; absent without TLS. */
  readonly #transport: ReadingSocket | undefined;
  #isStopped = false;

  constructor(socket: Socket, transport: Socket | undefined) {
    this.#socket = socket;
    this.#transport = transport as ReadingSocket | undefined;
  }

  /** Stops. The socket still delivers what it has read before. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#socket.pause();
    this.#transport?._handle?.readStop?.();
  }

  /** Goes on. */
  start(): void {
    if (!this.#isStopped || this.#socket.destroyed) return;
    this.#isStopped = false;
    this.#transport?._handle?.readStart?.();
    this.#socket.resume();
  }
}
