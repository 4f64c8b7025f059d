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
import { CollectionScope } from "./collection_scope.ts";
import { EventSlices } from "./event_slices.ts";
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

  /**
   * Resolves when the objects were listed for the first time, when the API server forbids that or does not serve the
   * kind, or after `close`.
   */
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
        if (refusal !== undefined) this.#log(state === "give up" ? "not kept" : "list failed", refusal);
      }
      // `close` may have been called during the list.
      const began = elapsedOn(clock);
      const end = state === "watch" && !stopped.aborted ? await this.#watch() : "broken";
      this.#open = false;
      if (this.#objects.isFull) state = "give up";
      else if (end === "too old" || end === "over" && this.#objects.hasRoomAgain) state = "list";
      if (end === "over" && elapsedOn(clock) - began >= briefMs) delay = firstDelay;
      else if (state !== "give up") {
        await pause(delay * (0.5 + this.#options.entropy.next() / 2), stopped);
        delay = Math.min(longestDelay, delay * 2);
      }
    }
    this.#open = false;
    this.#objects.clear();
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
        this.#log("watch failed", following);
        return isRejected(following) ? "too old" : "broken";
      }
      this.#open = true;
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

  /**
   * Applies an event; returns false when the API server reports an error, or the event is about another collection,
   * which ends the watch. Events about no object change nothing.
   */
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

  #log(what: string, failure: FailedAnswer): void {
    if (this.#stop.signal.aborted) return;
    const { path, log, missing } = this.#options;
    const reason = describeFailure({ method: "GET", path }, failure), said = `${what} ${reason}`;
    if (said === this.#said) return;
    this.#said = said;
    const hint: JsonObject = failure.status === 404 && missing !== undefined ? { hint: missing } : {};
    log?.write("warn", `${path}: ${what}`, { reason, ...hint });
  }
}

/** The answers to a watch that are not about its resourceVersion: about the caller, the kind, and load. */
const notAboutVersion: readonly (number | undefined)[] = [401, 403, 404, 408, 429];

/** Whether the API server rejects a watch, so that only a new list helps: it is too old (410) or invalid (400, 422). */
function isRejected({ status }: FailedAnswer): boolean {
  return status !== undefined && status >= 400 && status < 500 && !notAboutVersion.includes(status);
}

/**
 * Whether the API server answered that there is nothing to list: it forbids the list, or does not serve the kind. After
 * any other failure the objects are unknown. They must not count as absent, because then no policy would be in force.
 */
function isFinal({ status }: FailedAnswer): boolean {
  return status === 403 || status === 404;
}
