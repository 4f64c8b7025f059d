import type { Socket } from "node:net";

/** How long a handshake has its slot. One that takes longer goes on without: a silent caller holds up nobody. */
const slotTime = 25;

/** Where handshakes go on. */
export interface HandshakeSetting {
  /** Handshakes that begin together at most. */
  readonly slots: number;
  /** Milliseconds until a handshake must have ended, the wait for its slot included. */
  readonly time: number;
  /** Begins the handshake on a connection. */
  readonly begin: (socket: Socket) => void;
}

/**
 * TLS handshakes that wait and that go on. One takes a millisecond of processor time, and thousands of callers can come
 * together: so few begin at the same time, and requests and health checks are answered in between. The newest goes
 * first, for its caller still waits when that of the oldest has given up.
 */
export class Handshakes {
  readonly #setting: HandshakeSetting;
  /** TLS handshakes that wait for their turn, oldest first, with the time at which each is given up. */
  readonly #waiting = new Map<Socket, number>();
  /** The same, the newest last, with some that wait no more. */
  #newest: Socket[] = [];
  /** TLS handshakes under way, by the address of the caller. */
  readonly #begun = new Map<string, Socket>();
  /** The ends of slots, by the caller's address. */
  readonly #slots = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(setting: HandshakeSetting) {
    this.#setting = setting;
  }

  /** Handshakes that have not ended. */
  get size(): number {
    return this.#waiting.size + this.#begun.size;
  }

  /** A connection was made: its handshake begins when it has a slot. */
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

  /** A handshake has ended well. */
  ended(socket: Socket): void {
    this.#over(addressOf(socket));
  }

  /** Gives up the one that has waited longest, or else the one that began first. */
  dropOldest(): void {
    const [oldest] = this.#waiting.size > 0 ? this.#waiting.keys() : this.#begun.values();
    if (oldest === undefined) return;
    this.#waiting.delete(oldest);
    oldest.destroy();
  }

  /** Ends those that have waited too long for a slot. */
  expire(now: number): void {
    for (const [socket, until] of this.#waiting) {
      if (until > now) return;
      this.#waiting.delete(socket);
      socket.destroy();
    }
  }

  /** Ends all. */
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

  /** A slot is free for the newest that waits. */
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
