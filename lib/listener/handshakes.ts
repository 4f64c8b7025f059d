import { Buffer } from "node:buffer";
import type { Socket } from "node:net";

/** Milliseconds that a handshake keeps its slot. A slower one continues without a slot, so it blocks no other. */
const slotTime = 25;

/** The limits of handshakes, and the function that begins one. */
export interface HandshakeSetting {
  /** The most handshakes that have a slot at the same time. */
  readonly slots: number;
  /** Milliseconds until a handshake must have ended, the wait for its slot included. */
  readonly time: number;
  /** Begins the handshake on a connection. */
  readonly begin: (socket: Socket) => void;
  /** Called once in {@link manyHandshakes} handshakes. */
  readonly afterMany?: (() => void) | undefined;
}

/** So many handshakes leave some 2 MB outside V8's heap, which only a collection of garbage frees. */
const manyHandshakes = 64;

/** A handshake that waits or runs. */
interface Handshake {
  readonly socket: Socket;
  /** The caller's address and port. A socket has none any more when its connection was reset. */
  readonly address: string;
  /** Its deadline on the clock of `performance.now()`. */
  readonly until: number;
}

/**
 * The TLS handshakes that wait or run. A handshake takes a millisecond of processor time, and thousands of callers can
 * connect at once. Only a few handshakes therefore begin at the same time, and the listener answers requests and health
 * checks in between. The newest handshake begins first: its caller still waits when the caller of the oldest has gone.
 */
export class Handshakes {
  readonly #setting: HandshakeSetting;
  /** Handshakes that wait for a slot, oldest first. */
  readonly #waiting = new Set<Handshake>();
  /** The same handshakes, newest last. It also contains some that no longer wait. */
  #newest: Handshake[] = [];
  /** Running handshakes by the caller's address and port. */
  readonly #begun = new Map<string, Handshake>();
  /** The timers that free slots, by the caller's address and port. */
  readonly #slots = new Map<string, ReturnType<typeof setTimeout>>();
  #count = 0;

  constructor(setting: HandshakeSetting) {
    this.#setting = setting;
  }

  /** Handshakes that have not ended. */
  get size(): number {
    return this.#waiting.size + this.#begun.size;
  }

  /** Adds a new connection. Its handshake begins when a slot is free. */
  add(socket: Socket): void {
    // The runtime does not notice that a connection was reset before TLS began: it would stay open for ever.
    if (socket.remoteAddress === undefined) return void socket.destroy();
    const until = performance.now() + this.#setting.time;
    const handshake: Handshake = { socket, address: addressOf(socket), until };
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#waiting.delete(handshake);
      if (this.#begun.get(handshake.address) === handshake) this.#over(handshake.address);
    });
    if (this.#slots.size < this.#setting.slots) return this.#begin(handshake);
    this.#waiting.add(handshake);
    this.#newest.push(handshake);
    // Callers that go while they wait leave their sockets there.
    if (this.#newest.length > 2 * this.#waiting.size + 64) this.#newest = [...this.#waiting];
  }

  /** Removes a handshake that succeeded, and returns the socket below TLS. */
  ended(socket: Socket): Socket | undefined {
    const address = addressOf(socket), transport = this.#begun.get(address)?.socket;
    this.#over(address);
    return transport;
  }

  /**
   * Closes the handshake with the earliest deadline, which waits or runs. It is removed at once: more callers may
   * arrive before the "close" event, and each must close another one.
   */
  dropOldest(): void {
    const [waiting] = this.#waiting, [running] = this.#begun.values();
    if (waiting !== undefined && waiting.until <= (running?.until ?? Infinity)) {
      this.#waiting.delete(waiting);
      waiting.socket.destroy();
    } else if (running !== undefined) {
      this.#over(running.address);
      running.socket.destroy();
    }
  }

  /** Closes the handshakes that have taken too long. */
  expire(now: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.until > now) break;
      this.#waiting.delete(waiting);
      waiting.socket.destroy();
    }
    for (const { socket, until } of this.#begun.values()) {
      if (until <= now) socket.destroy();
    }
  }

  /** Closes all handshakes. */
  close(): void {
    const all = [...this.#waiting, ...this.#begun.values()];
    this.#waiting.clear();
    for (const { socket } of all) socket.destroy();
    for (const slot of this.#slots.values()) clearTimeout(slot);
    this.#slots.clear();
  }

  #begin(handshake: Handshake): void {
    const { socket, address } = handshake;
    // A caller that uses its port again has reset the former connection.
    this.#begun.get(address)?.socket.destroy();
    this.#begun.set(address, handshake);
    clearTimeout(this.#slots.get(address));
    this.#slots.set(address, setTimeout(() => this.#free(address), slotTime));
    if (++this.#count % manyHandshakes === 0) this.#setting.afterMany?.();
    joinArrived(socket);
    this.#setting.begin(socket);
  }

  #over(address: string): void {
    this.#begun.delete(address);
    this.#free(address);
  }

  /** Frees a slot and gives it to the newest waiting handshake. */
  #free(address: string): void {
    const slot = this.#slots.get(address);
    if (slot === undefined) return;
    clearTimeout(slot);
    this.#slots.delete(address);
    for (let next = this.#newest.pop(); next !== undefined; next = this.#newest.pop()) {
      if (this.#waiting.delete(next) && !next.socket.destroyed) return this.#begin(next);
    }
  }
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Joins what arrived while a handshake waited. The runtime gives it to TLS piece by piece, also after TLS has refused
 * one and closed the connection. It then throws an exception that nobody can catch, and the process ends.
 */
function joinArrived(socket: Socket): void {
  const pieces: Buffer[] = [];
  while (socket.readableLength > 0) {
    const piece: Buffer | null = socket.read();
    if (piece === null) break;
    pieces.push(piece);
  }
  if (pieces.length > 0) socket.unshift(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
}
