import { asObject, asString, dig, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import {
  type Answer,
  type ApiCall,
  type Clock,
  elapsedOn,
  type Entropy,
  type LeftOutObjects,
  type Scheduler,
} from "../ports.ts";
import { describeFailure, type FailedAnswer, listPages, nameOf } from "../kube/mod.ts";
import { pause } from "../pause.ts";
import type { Recovery } from "./recovery.ts";
import { CollectionScope } from "./collection_scope.ts";
import { EventSlices } from "./event_slices.ts";
import { hasNoAnswer, isFinal, isRejected } from "./watch_failures.ts";
import { keyOf, WatchedObjects, type WatchedObjectsOptions } from "./watched_objects.ts";

/** The answer to opening a watch: lines with one JSON event each, or why the watch could not be opened. */
export type Following = { readonly ok: true; readonly lines: AsyncIterable<string> } | FailedAnswer;

/** The path, the ports and the bounds of a {@link WatchedKind}. */
export interface WatchedKindOptions extends WatchedObjectsOptions {
  /** The path that lists all objects of the kind: `/api/v1/namespaces`. */
  readonly path: string;
  readonly call: (call: ApiCall) => Promise<Answer>;
  /** Opens a watch; its lines end when the signal aborts. */
  readonly follow: (path: string, signal: AbortSignal) => Promise<Following>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Lets others work between events; nothing pauses without one. */
  readonly scheduler?: Scheduler | undefined;
  /** Ends pauses when the API server answers again; they last to their end without one. */
  readonly recovery?: Recovery | undefined;
  /**
   * Goes on trying when the API server forbids reads of the kind or does not serve it yet, because its definition may
   * come later, and leaves out objects that do not fit. Otherwise the kind is given up, and callers read its objects
   * from the API server.
   */
  readonly persistent?: boolean;
  /** A hint for the log: what helps when the API server does not serve the kind. */
  readonly missing?: string;
}

/** The longest watch in seconds. */
const watchSeconds = 290;
/** The longest watch in seconds while objects are left out: after it they are listed again if there is room. */
const watchSecondsWithoutRoom = 60;
/** Milliseconds without an event after which a watch counts as broken: the API server sends a bookmark each minute. */
const longestSilence = 150_000;
/**
 * Milliseconds of the shortest watch after which the next is opened without a pause. An API server, or a proxy before
 * it, that ends each watch at once would be asked hundreds of times a second.
 */
const briefMs = 1_000;
/** Milliseconds before the first and, at most, before every further attempt after a failure. */
const firstDelay = 500, longestDelay = 30_000;
/** The same while nothing answers: a policy that is stored after an outage shall soon be in force. */
const longestWithoutAnswer = 10_000;
/** Milliseconds between two pauses that others' answers end: a server may fail for this kind alone. */
const betweenEarlyEnds = 60_000;
/** An API server that starts forbids everything for about a second: it has not read its roles yet. */
const mostRefusals = 3;

/** How a watch ended: the API server ended it or rejected its resourceVersion, such as one too old, or it failed. */
type End = "over" | "too old" | "broken";

/**
 * All objects of one kind, kept up to date by list and watch as Kubernetes' informers do. While the watch is not open,
 * `list` and `get` return nothing, because the objects may have changed.
 */
export class WatchedKind {
  readonly #options: WatchedKindOptions;
  readonly #objects: WatchedObjects;
  readonly #scope: CollectionScope;
  readonly #slices: EventSlices;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #version = "";
  #open = false;
  #isUnanswered = false;
  #endsEarlyFrom = -Infinity;
  /** The last line of the log about a failure; it is not written again until something else happens. */
  #said = "";
  readonly #synced = Promise.withResolvers<void>();

  /** Begins to list and watch at once, in the background. */
  constructor(options: WatchedKindOptions) {
    this.#options = options;
    this.#objects = new WatchedObjects(options);
    this.#scope = new CollectionScope(options.path);
    this.#slices = new EventSlices(options);
    this.#done = this.#run();
  }

  /** Returns the list of all objects in the API server's form; `undefined` while the watch is not open. */
  list(): Json | undefined {
    return this.#open ? this.#objects.list(this.#version) : undefined;
  }

  /** Returns one object; `undefined` when it is not in memory or while the watch is not open. */
  get(namespace: string, name: string): Json | undefined {
    return this.#open ? this.#objects.get(namespace, name) : undefined;
  }

  /**
   * Returns all objects in their last state, also while the watch is not open; each stays the same until it changes.
   */
  objects(): readonly JsonObject[] {
    return this.#objects.all();
  }

  /** The objects that {@link objects} leaves out because they take too much memory; `undefined` when there are none. */
  get leftOut(): LeftOutObjects | undefined {
    return this.#objects.leftOut;
  }

  /** Resolves when the objects were first listed, cannot be (forbidden, or not served), or after `close`. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Ends the watch; resolves when all its work has ended. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#synced.resolve();
    await this.#done;
  }

  async #run(): Promise<void> {
    const stopped = this.#stop.signal, { clock } = this.#options;
    let delay = firstDelay, forbidden = 0;
    let state: "list" | "watch" | "give up" = "list";
    while (!stopped.aborted && state !== "give up") {
      if (state === "list") {
        const refusal = await this.#relist();
        forbidden = refusal?.status === 403 ? forbidden + 1 : 0;
        if (refusal === undefined || refusal.status === 404 || forbidden === mostRefusals) {
          this.#synced.resolve();
        }
        if (refusal === undefined) {
          state = "watch";
          this.#said = "";
        } else if (this.#options.persistent !== true && isFinal(refusal) || this.#objects.isFull) {
          state = "give up";
        }
        if (refusal !== undefined) this.#failed(state === "give up" ? "not kept" : "list failed", refusal);
      }
      // `close` may have been called during the list.
      const began = elapsedOn(clock);
      const end = state === "watch" && !stopped.aborted ? await this.#watch() : "broken";
      const hasWorked = this.#open && elapsedOn(clock) - began >= briefMs;
      this.#open = false;
      if (hasWorked) delay = firstDelay;
      if (this.#objects.isFull) state = "give up";
      else if (end === "too old" || end === "over" && this.#objects.hasRoomAgain) state = "list";
      if (state === "give up" || end === "over" && hasWorked) continue;
      const isBack = await this.#pause(delay);
      const longest = this.#isUnanswered ? longestWithoutAnswer : longestDelay;
      delay = isBack ? firstDelay : Math.min(longest, delay * 2);
    }
    this.#open = false;
    this.#objects.clear();
  }

  /** Waits before an attempt; returns whether the server is back. */
  async #pause(delay: number): Promise<boolean> {
    const { entropy, recovery, clock } = this.#options;
    const endsEarly = this.#isUnanswered && elapsedOn(clock) >= this.#endsEarlyFrom;
    const milliseconds = delay * (0.5 + entropy.next() / 2), stopped = this.#stop.signal;
    if (!endsEarly || recovery === undefined) {
      await pause(milliseconds, stopped);
      return false;
    }
    const isBack = await recovery.wait(milliseconds, stopped);
    if (isBack) this.#endsEarlyFrom = elapsedOn(clock) + betweenEarlyEnds;
    return isBack;
  }

  /** Lists all objects again, with one page in memory at a time; returns the failure if there was one. */
  async #relist(): Promise<FailedAnswer | undefined> {
    const { path, call } = this.#options;
    const listed = new Set<string>();
    this.#objects.beginList();
    const get = (page: string) => call({ method: "GET", path: page, signal: this.#stop.signal });
    for await (const page of listPages(path, { get })) {
      if (!page.ok) return page;
      const type = this.#scope.typeOf(page.body, page.items);
      if (type === undefined) {
        return { ok: false, status: undefined, message: "the answer has objects of another collection" };
      }
      this.#objects.type = type;
      for (const item of page.items) {
        if (!isObject(item) || nameOf(item) === "") continue;
        const since = this.#slices.now();
        listed.add(keyOf(item));
        await this.#objects.put(item);
        const rest = this.#slices.worked(since);
        if (rest !== undefined) await rest;
      }
      if (this.#objects.isFull) break;
      this.#version = asString(dig(page.body, "metadata", "resourceVersion")) ?? "";
    }
    await this.#objects.endList(listed);
    if (!this.#objects.isFull) return undefined;
    return { ok: false, status: undefined, message: `the objects ${this.#objects.tooLarge}` };
  }

  async #watch(): Promise<End> {
    const ended = new AbortController();
    const abort = () => ended.abort();
    this.#stop.signal.addEventListener("abort", abort);
    let timer = setTimeout(abort, longestSilence);
    try {
      const lasts = this.#objects.isComplete ? watchSeconds : watchSecondsWithoutRoom;
      const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${lasts}&resourceVersion=${
        encodeURIComponent(this.#version.toWellFormed())
      }`;
      const following = await this.#options.follow(`${this.#options.path}?${query}`, ended.signal);
      if (!following.ok) {
        this.#failed("watch failed", following);
        return isRejected(following) ? "too old" : "broken";
      }
      this.#open = true;
      this.#isUnanswered = true;
      for await (const line of following.lines) {
        clearTimeout(timer);
        timer = setTimeout(abort, longestSilence);
        const since = this.#slices.now(), parsed = this.#slices.parse(line);
        const event = parsed instanceof Promise ? await parsed : parsed;
        if (!await this.#apply(event, line.length)) return "too old";
        if (this.#objects.isFull) return "broken";
        const rest = this.#slices.worked(since);
        if (rest !== undefined) await rest;
      }
      return ended.signal.aborted ? "broken" : "over";
    } catch {
      return "broken"; // The connection broke, or an event is no JSON: watch again from the last resourceVersion.
    } finally {
      clearTimeout(timer);
      ended.abort();
      this.#stop.signal.removeEventListener("abort", abort);
    }
  }

  /** Applies an event; returns false when it ends the watch: an error, or an event about another collection. */
  async #apply(event: Json, characters: number): Promise<boolean> {
    const object = asObject(field(event, "object")) ?? {};
    const type = field(event, "type");
    if (type === "ERROR") return false;
    const isObjectEvent = type !== "BOOKMARK" && nameOf(object) !== "";
    if (isObjectEvent && !this.#scope.includes(object, this.#objects.type)) return false;
    this.#version = asString(dig(object, "metadata", "resourceVersion")) ?? this.#version;
    if (!isObjectEvent) return true;
    if (type === "DELETED") await this.#objects.remove(keyOf(object));
    else if (type === "ADDED" || type === "MODIFIED") {
      // An object that is reduced before it is kept is small then.
      const bytes = this.#options.keep === undefined ? this.#slices.bytesOf(object, characters) : undefined;
      await this.#objects.put(object, bytes && await bytes);
    }
    return true;
  }

  #failed(what: string, failure: FailedAnswer): void {
    this.#isUnanswered = hasNoAnswer(failure);
    if (this.#stop.signal.aborted) return;
    const { path, log, missing } = this.#options;
    // A message that names its call has the query, too.
    const { message } = failure;
    const reason = message.startsWith(`GET ${path}`)
      ? message
      : describeFailure({ method: "GET", path }, failure);
    const said = `${what} ${reason}`;
    if (said === this.#said) return;
    this.#said = said;
    const hint: JsonObject = failure.status === 404 && missing !== undefined ? { hint: missing } : {};
    log?.write("warn", `${path}: ${what}`, { reason, ...hint });
  }
}
