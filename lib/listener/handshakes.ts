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
}

/**
 * The TLS handshakes that wait or run. A handshake takes a millisecond of processor time, and thousands of callers can
 * connect at once. Only a few handshakes therefore begin at the same time, and the listener answers requests and health
 * checks in between. The newest handshake begins first: its caller still waits when the caller of the oldest has gone.
 */
export class Handshakes {
  readonly #setting: HandshakeSetting;
  /** Handshakes that wait for a slot, oldest first, each with its deadline. */
  readonly #waiting = new Map<Socket, number>();
  /** The same handshakes, newest last. It also contains some that no longer wait. */
  #newest: Socket[] = [];
  /** Running handshakes by the caller's address and port. */
  readonly #begun = new Map<string, Socket>();
  /** The timers that free slots, by the caller's address and port. */
  readonly #slots = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(setting: HandshakeSetting) {
    this.#setting = setting;
  }

  /** Handshakes that have not ended. */
  get size(): number {
    return this.#waiting.size + this.#begun.size;
  }

  /** Adds a new connection. Its handshake begins when a slot is free. */
  add(socket: Socket): void {
    const address = addressOf(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#waiting.delete(socket);
      this.#over(address);
    });
    if (this.#slots.size < this.#setting.slots) return this.#begin(socket);
    this.#waiting.set(socket, performance.now() + this.#setting.time);
    this.#newest.push(socket);
  }

  /** Removes a handshake that succeeded. */
  ended(socket: Socket): void {
    this.#over(addressOf(socket));
  }

  /** Closes the handshake that has waited longest, or without a waiting one the handshake that began first. */
  dropOldest(): void {
    const [oldest] = this.#waiting.size > 0 ? this.#waiting.keys() : this.#begun.values();
    if (oldest === undefined) return;
    this.#waiting.delete(oldest);
    oldest.destroy();
  }

  /** Closes the handshakes that have waited too long for a slot. */
  expire(now: number): void {
    for (const [socket, until] of this.#waiting) {
      if (until > now) return;
      this.#waiting.delete(socket);
      socket.destroy();
    }
  }

  /** Closes all handshakes. */
  close(): void {
    const all = [...this.#waiting.keys(), ...this.#begun.values()];
    this.#waiting.clear();
    for (const socket of all) socket.destroy();
    for (const slot of this.#slots.values()) clearTimeout(slot);
    this.#slots.clear();
  }

  #begin(socket: Socket): void {
    const address = addressOf(socket);
    this.#begun.set(address, socket);
    this.#slots.set(address, setTimeout(() => this.#free(address), slotTime));
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
      if (this.#waiting.delete(next)) return this.#begin(next);
    }
  }
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
