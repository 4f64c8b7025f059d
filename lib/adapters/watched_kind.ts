import {
  asObject,
  asString,
  dig,
  field,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import type { Answer, ApiCall, Clock, Entropy, LeftOutObjects, Log, ObjectChange } from "../ports.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import { describeFailure, type FailedAnswer, itemsOf } from "../embedded/mod.ts";
import { pause } from "./deadline.ts";
import { LeftOutNames, namespaceOfKey } from "./left_out_names.ts";
import type { ObjectBudget } from "./object_budget.ts";
import { approximateBytes } from "./size.ts";

/** The answer to opening a watch: lines with one JSON event each, or why the watch could not be opened. */
export type Following = { readonly ok: true; readonly lines: AsyncIterable<string> } | FailedAnswer;

/** The path, the ports and the bounds of a {@link WatchedKind}. */
export interface WatchedKindOptions {
  /** The path that lists all objects of the kind: `/api/v1/namespaces`. */
  readonly path: string;
  readonly call: (call: ApiCall) => Promise<Answer>;
  /** Opens a watch; its lines end when the signal aborts. */
  readonly follow: (path: string, signal: AbortSignal) => Promise<Following>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log?: Log;
  /** The most bytes of objects. Beyond it a persistent kind leaves objects out; any other kind is given up. */
  readonly maxBytes: number;
  /** A further bound, which several kinds share. */
  readonly budget?: ObjectBudget;
  /** Called for every object that is new, changed or gone; `former` is the object as it was in memory before. */
  readonly changed?: (change: ObjectChange) => void | Promise<void>;
  /** Called when objects that were left out are gone or kept now. */
  readonly leftOutChanged?: () => void;
  /** Reduces an object to the fields to keep; when absent, the watch keeps all but the managed fields. */
  readonly keep?: (object: JsonObject) => JsonObject;
  /**
   * Goes on trying when the API server forbids reads of the kind or does not serve it yet, because its definition may
   * come later. Otherwise the kind is given up, and callers read its objects from the API server.
   */
  readonly persistent?: boolean;
}

/** Objects in a page. With 500 reports or Pods and their managed fields, text and objects took 50 MiB more memory. */
const PAGE = 250;
/** The longest watch in seconds. The longest silence in milliseconds: the API server sends a bookmark each minute. */
const LASTS = 290;
/** The longest watch in seconds while objects are left out: after it they are listed again if there is room. */
const LASTS_WITHOUT_ROOM = 60;
const SILENCE = 150_000;
const FIRST_DELAY = 500, MAX_DELAY = 30_000;

interface WatchedObject {
  readonly object: JsonObject;
  readonly bytes: number;
  /** The object with kind and apiVersion. The first read makes it; it stays the same until the object changes. */
  typed?: JsonObject;
}

/** How a watch ended: the API server ended it, its resourceVersion was too old, or it failed. */
type End = "over" | "too old" | "broken";

/**
 * All objects of one kind, kept up to date by list and watch as Kubernetes' informers do. While the watch is not open,
 * `list` and `get` return nothing, because the objects may have changed.
 */
export class WatchedKind {
  readonly #options: WatchedKindOptions;
  readonly #objects = new Map<string, WatchedObject>();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #type: { readonly kind: string; readonly apiVersion: string } = { kind: "", apiVersion: "" };
  #version = "";
  #bytes = 0;
  #open = false;
  #list: Json | undefined;
  readonly #synced = Promise.withResolvers<void>();
  /** Objects of a persistent kind that do not fit. */
  #unfit = new LeftOutNames();
  /** Those of before, until all objects are listed again: meanwhile nobody knows whether they fit. */
  #unfitBefore = new LeftOutNames();

  /** Begins to list and watch at once, in the background. */
  constructor(options: WatchedKindOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  /** Returns the list of all objects in the API server's form; `undefined` while the watch is not open. */
  list(): Json | undefined {
    if (!this.#open) return undefined;
    const { kind, apiVersion } = this.#type;
    this.#list ??= {
      kind: `${kind}List`,
      apiVersion,
      metadata: { resourceVersion: this.#version },
      items: [...this.#objects.values()].map(({ object }) => object),
    };
    return this.#list;
  }

  /** Returns one object; `undefined` when it is not in memory or while the watch is not open. */
  get(namespace: string, name: string): Json | undefined {
    const found = this.#open ? this.#objects.get(`${namespace}/${name}`) : undefined;
    return found === undefined ? undefined : { ...this.#type, ...found.object };
  }

  /** Returns all objects in their last state, also while the watch is not open; each stays the same until it changes. */
  objects(): readonly JsonObject[] {
    return [...this.#objects.values()].map((each) => this.#typed(each));
  }

  /** The objects that {@link objects} leaves out because they take too much memory; `undefined` when there are none. */
  get leftOut(): LeftOutObjects | undefined {
    if (this.#unfit.isEmpty && this.#unfitBefore.isEmpty) return undefined;
    const { namespaces } = this.#unfit, before = this.#unfitBefore.namespaces;
    return {
      message: `the objects of ${this.#options.path} ${this.#tooLarge}`,
      namespaces: before && namespaces?.union(before),
    };
  }

  get #tooLarge(): string {
    const { maxBytes, budget } = this.#options;
    return `take more than ${Math.min(maxBytes, budget?.most ?? Infinity)} bytes`;
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
    const stopped = this.#stop.signal;
    let delay = FIRST_DELAY;
    let state: "list" | "watch" | "give up" = "list";
    while (!stopped.aborted && state !== "give up") {
      if (state === "list") {
        const refusal = await this.#relist();
        if (refusal === undefined || isFinal(refusal)) this.#synced.resolve();
        if (refusal === undefined) state = "watch";
        else if (this.#options.persistent !== true && isFinal(refusal) || this.#isFull) state = "give up";
        if (refusal !== undefined) this.#log(state === "give up" ? "not kept" : "list failed", refusal);
      }
      // `close` may have been called during the list.
      const end = state === "watch" && !stopped.aborted ? await this.#watch() : "broken";
      this.#open = false;
      if (this.#isFull) state = "give up";
      else if (end === "too old" || end === "over" && this.#hasRoomAgain) state = "list";
      if (end === "over") delay = FIRST_DELAY;
      else if (state !== "give up") {
        await pause(delay * (0.5 + this.#options.entropy.next() / 2), stopped);
        delay = Math.min(MAX_DELAY, delay * 2);
      }
    }
    this.#open = false;
    for (const key of [...this.#objects.keys()]) this.#drop(key);
  }

  get #isFull(): boolean {
    return this.#bytes > this.#options.maxBytes;
  }

  /** Lists all objects again, with one page in memory at a time; returns the failure if there was one. */
  async #relist(): Promise<FailedAnswer | undefined> {
    const { path, call } = this.#options;
    const listed = new Set<string>();
    this.#unfitBefore.addAll(this.#unfit);
    this.#unfit = new LeftOutNames();
    let token = "";
    do {
      const page = `${path}?limit=${PAGE}${token === "" ? "" : `&continue=${encodeURIComponent(token)}`}`;
      const answer = await call({ method: "GET", path: page, signal: this.#stop.signal });
      if (!answer.ok) return answer;
      const kind = asString(field(answer.body, "kind")) ?? "";
      this.#type = {
        kind: kind.replace(/List$/, ""),
        apiVersion: asString(field(answer.body, "apiVersion")) ?? "",
      };
      for (const item of itemsOf(answer.body)) {
        if (!isObject(item)) continue;
        listed.add(keyOf(item));
        await this.#put(item);
      }
      if (this.#isFull) break;
      this.#version = asString(dig(answer.body, "metadata", "resourceVersion")) ?? "";
      token = asString(dig(answer.body, "metadata", "continue")) ?? "";
    } while (token !== "");
    for (const key of [...this.#objects.keys()]) if (!listed.has(key)) await this.#remove(key);
    const wereLeftOut = !this.#unfitBefore.isEmpty;
    this.#unfitBefore = new LeftOutNames();
    if (wereLeftOut) this.#options.leftOutChanged?.();
    if (!this.#isFull) return undefined;
    return { ok: false, status: undefined, message: `the objects ${this.#tooLarge}` };
  }

  async #watch(): Promise<End> {
    const ended = new AbortController();
    const abort = () => ended.abort();
    this.#stop.signal.addEventListener("abort", abort);
    let timer = setTimeout(abort, SILENCE);
    try {
      const lasts = this.#unfit.isEmpty ? LASTS : LASTS_WITHOUT_ROOM;
      const query =
        `watch=true&allowWatchBookmarks=true&timeoutSeconds=${lasts}&resourceVersion=${this.#version}`;
      const following = await this.#options.follow(`${this.#options.path}?${query}`, ended.signal);
      if (!following.ok) {
        this.#log("watch failed", following);
        return following.status === 410 ? "too old" : "broken";
      }
      this.#open = true;
      for await (const line of following.lines) {
        clearTimeout(timer);
        timer = setTimeout(abort, SILENCE);
        const event: Json = JSON.parse(line);
        if (!await this.#apply(event)) return "too old";
        if (this.#isFull) return "broken";
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

  /** Applies an event; returns false when the API server reports an error, which ends the watch. */
  async #apply(event: Json): Promise<boolean> {
    const object = asObject(field(event, "object")) ?? {};
    const type = field(event, "type");
    if (type === "ERROR") return false;
    this.#version = asString(dig(object, "metadata", "resourceVersion")) ?? this.#version;
    if (type === "BOOKMARK") return true;
    this.#list = undefined;
    if (type === "DELETED") await this.#remove(keyOf(object));
    else await this.#put(object);
    return true;
  }

  #typed(watched: WatchedObject): JsonObject {
    return watched.typed ??= { ...this.#type, ...watched.object };
  }

  #put(object: JsonObject): void | Promise<void> {
    const key = keyOf(object);
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    const { managedFields: _fields, ...metadata } = asObject(rest["metadata"]) ?? {};
    const whole = { ...rest, metadata };
    const former = this.#objects.get(key);
    if (isSameVersion(former?.object, whole)) return;
    const { changed, keep } = this.#options;
    const kept = keep?.(whole) ?? whole;
    const bytes = approximateBytes(kept);
    this.#drop(key);
    const watched = { object: kept, bytes };
    if (this.#fits(key, bytes)) {
      this.#objects.set(key, watched);
      this.#take(key, bytes);
    } else this.#leaveOut(key, bytes);
    this.#list = undefined;
    if (changed === undefined) return;
    return changed({
      object: keep === undefined ? this.#typed(watched) : { ...this.#type, ...whole },
      former: former && this.#typed(former),
    });
  }

  /** Whether to keep an object. A kind that is not persistent keeps all, until they are too large and it is given up. */
  #fits(key: string, bytes: number): boolean {
    if (this.#options.persistent !== true) return true;
    const { maxBytes, budget } = this.#options;
    return this.#bytes + bytes <= maxBytes && (budget?.fits(namespaceOfKey(key), bytes) ?? true);
  }

  #take(key: string, bytes: number): void {
    this.#bytes += bytes;
    this.#options.budget?.add(namespaceOfKey(key), bytes);
  }

  /** Whether an object that was left out fits now. */
  get #hasRoomAgain(): boolean {
    return this.#unfit.mayHold((key, bytes) => this.#fits(key, bytes));
  }

  #leaveOut(key: string, bytes: number): void {
    if (this.#unfit.isEmpty && this.#unfitBefore.isEmpty) {
      const { path, log } = this.#options;
      log?.write("error", `${path}: objects are left out`, { reason: `the objects ${this.#tooLarge}` });
    }
    this.#unfit.add(key, bytes);
  }

  #remove(key: string): void | Promise<void> {
    if (this.#unfit.delete(key)) this.#options.leftOutChanged?.();
    const former = this.#drop(key);
    return former && this.#options.changed?.({ object: undefined, former: this.#typed(former) });
  }

  #drop(key: string): WatchedObject | undefined {
    this.#unfit.delete(key);
    const former = this.#objects.get(key);
    if (former === undefined) return undefined;
    this.#objects.delete(key);
    this.#take(key, -former.bytes);
    this.#list = undefined;
    return former;
  }

  #log(what: string, failure: FailedAnswer): void {
    if (this.#stop.signal.aborted) return;
    const { path, log } = this.#options;
    log?.write("warn", `${path}: ${what}`, { reason: describeFailure({ method: "GET", path }, failure) });
  }
}

/**
 * Whether the API server answered that there is nothing to list: it forbids the list, or does not serve the kind. After
 * any other failure the objects are unknown. They must not count as absent, because then no policy would be in force.
 */
function isFinal({ status }: FailedAnswer): boolean {
  return status === 403 || status === 404;
}

function keyOf(object: JsonObject): string {
  return `${namespaceOf(object)}/${nameOf(object)}`;
}

/** Whether the object has not changed: a list also contains objects that are in memory already. */
function isSameVersion(former: JsonObject | undefined, object: JsonObject): boolean {
  const version = dig(object, "metadata", "resourceVersion");
  return former !== undefined && isString(version) && version === dig(former, "metadata", "resourceVersion");
}
