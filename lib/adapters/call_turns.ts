import type { Lifetime } from "../ports.ts";

/** The bounds of {@link CallTurns}. */
interface CallTurnsOptions {
  /** The most calls of one server that are under way. */
  readonly mostOfOne: number;
  /** The most calls of all servers that are under way. */
  readonly most: number;
}

/** A call that waits for its turn. */
interface WaitingCall {
  readonly signal?: AbortSignal | undefined;
  readonly lifetime?: Lifetime | undefined;
}

/** The calls of one server. */
interface ServerCalls {
  underWay: number;
  /** Begins each call that waits, the oldest first. */
  readonly waiting: Set<() => void>;
}

/**
 * Bounds how many calls are under way, of each server and together. Whoever creates objects chooses how many requests
 * call a service at once, and one that never answers would take a connection for each of them. Calls that wait begin in
 * their order, and servers take turns, so that the calls of one that does not answer leave room for those of others.
 *
 * ```ts
 * import { CallTurns } from "./call_turns.ts";
 * import assert from "node:assert/strict";
 * const turns = new CallTurns({ mostOfOne: 1, most: 2 });
 * const end = await turns.begin("slow.example");
 * assert.equal(await turns.begin("slow.example", { signal: AbortSignal.timeout(1) }), undefined);
 * assert.notEqual(await turns.begin("other.example"), undefined);
 * end?.();
 * assert.notEqual(await turns.begin("slow.example"), undefined);
 * ```
 */
export class CallTurns {
  readonly #options: CallTurnsOptions;
  /** The servers with calls; the one that began a call last is the last. */
  readonly #servers = new Map<string, ServerCalls>();
  #underWay = 0;

  constructor(options: CallTurnsOptions) {
    this.#options = options;
  }

  /** The calls that are under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Makes a call at its turn; `undefined` when its signal aborts first. */
  async run<T>(server: string, call: WaitingCall, make: () => Promise<T>): Promise<T | undefined> {
    const end = await this.begin(server, call);
    if (end === undefined) return undefined;
    try {
      return await make();
    } finally {
      end();
    }
  }

  /**
   * Waits for the turn of a call, and returns the function that ends it, to be called once; `undefined` when its signal
   * aborts first.
   */
  async begin(server: string, call: WaitingCall = {}): Promise<(() => void) | undefined> {
    if (call.signal?.aborted === true) return undefined;
    const calls = this.#servers.get(server) ?? { underWay: 0, waiting: new Set() };
    this.#servers.set(server, calls);
    if (this.#mayBegin(calls)) this.#count(server, calls);
    else {
      const { lifetime } = call;
      if (lifetime !== undefined) lifetime.waitsFor = `other calls to ${server}`;
      if (!await turnOf(calls, call.signal)) {
        this.#dropIdle(server, calls);
        return undefined;
      }
      if (lifetime !== undefined) lifetime.waitsFor = undefined;
    }
    return () => this.#end(server, calls);
  }

  #mayBegin({ underWay }: ServerCalls): boolean {
    return underWay < this.#options.mostOfOne && this.#underWay < this.#options.most;
  }

  #count(server: string, calls: ServerCalls): void {
    calls.underWay++;
    this.#underWay++;
    this.#servers.delete(server);
    this.#servers.set(server, calls);
  }

  #end(server: string, calls: ServerCalls): void {
    calls.underWay--;
    this.#underWay--;
    this.#dropIdle(server, calls);
    for (const [each, next] of this.#servers) {
      const [begin] = next.waiting;
      if (begin === undefined || !this.#mayBegin(next)) continue;
      this.#count(each, next);
      return begin();
    }
  }

  /** Forgets a server without calls; others may have begun for it since its last call ended. */
  #dropIdle(server: string, calls: ServerCalls): void {
    const isIdle = calls.underWay === 0 && calls.waiting.size === 0;
    if (isIdle && this.#servers.get(server) === calls) this.#servers.delete(server);
  }
}

/** Waits until a call of a server is begun; false when the signal aborts first. */
function turnOf({ waiting }: ServerCalls, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (isTurn: boolean): void => {
      waiting.delete(begin);
      signal?.removeEventListener("abort", abort);
      resolve(isTurn);
    };
    const begin = (): void => leave(true), abort = (): void => leave(false);
    waiting.add(begin);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/**
 * The part of the API whose calls have turns of their kind: an API group, or what is behind the API server, as another
 * server answers for each of them.
 */
export function groupOf(path: string): string {
  return /\/proxy(?:[/?]|$)/.test(path) ? "proxy" : /^\/(?:apis\/)?[^/?]*/.exec(path)![0].slice(1);
}
