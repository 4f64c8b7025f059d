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
import { approximateBytes } from "./size.ts";

/** The answer to opening a watch: lines with one JSON event each, or why the watch could not be opened. */
export type Following = { readonly ok: true; readonly lines: AsyncIterable<string> } | FailedAnswer;

/** The path, the ports and the bounds of a {@link WatchedKind}. */
export interface WatchedKindOptions {
  /** Where all objects of the kind are listed: `/api/v1/namespaces`. */
  readonly path: string;
  readonly call: (call: ApiCall) => Promise<Answer>;
  /** Opens a watch; its lines end when the signal is raised. */
  readonly follow: (path: string, signal: AbortSignal) => Promise<Following>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log?: Log;
  /** Above this sum of object sizes the kind is no longer kept; a persistent one goes on without what does not fit. */
  readonly maxBytes: number;
  /** Further bytes that several kinds share. */
  readonly budget?: ObjectBudget;
  /** Called for every object that was listed, changed or went; `former` is what was known of it before. */
  readonly changed?: (change: ObjectChange) => void | Promise<void>;
  /** Reduces an object to the fields to keep; when absent, the watch keeps all but the managed fields. */
  readonly keep?: (object: JsonObject) => JsonObject;
  /**
   * Goes on trying when the kind may not be read or is not served yet, as its definition may come later. Without it the
   * kind is given up, and whoever needs it reads it from the API server.
   */
  readonly persistent?: boolean;
}

/** Bytes of objects that several kinds may keep together. */
export interface ObjectBudget {
  readonly most: number;
  used: number;
}

/** Names of objects that do not fit; beyond so many they only count until all objects are listed again. */
const MOST_NAMES = 10_000;

/** Objects in a page. Of 500 reports or Pods, with managed fields, text and objects took 50 MiB more at the same time. */
const PAGE = 250;
/** How long a watch lasts at most, in seconds, and how long it may be silent: bookmarks come each minute. */
const LASTS = 290;
const SILENCE = 150_000;
const FIRST_DELAY = 500, MAX_DELAY = 30_000;

interface WatchedObject {
  readonly object: JsonObject;
  readonly bytes: number;
  /** The object with its type, made when it is read first: the same one as long as the object does not change. */
  typed?: JsonObject;
}

/** How a watch ended: in good order, with a resourceVersion that is too old, or broken. */
type End = "over" | "too old" | "broken";

/**
 * All objects of one kind, kept up to date by list and watch as Kubernetes' own informers do. While the watch is not
 * open, reads answer nothing, because the objects may have changed.
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
  readonly #unfit = new Set<string>();

  /** Begins at once, in the background. */
  constructor(options: WatchedKindOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  /** The list of all objects, as the API server answers it; `undefined` while it is not known to be current. */
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

  /** One object; `undefined` when it is not there or not known to be current. */
  get(namespace: string, name: string): Json | undefined {
    const found = this.#open ? this.#objects.get(`${namespace}/${name}`) : undefined;
    return found === undefined ? undefined : { ...this.#type, ...found.object };
  }

  /** All objects as they were last known, also while the watch is not open; each is the same until it changes. */
  objects(): readonly JsonObject[] {
    return [...this.#objects.values()].map((each) => this.#typed(each));
  }

  /** The objects that are missing among {@link objects}. */
  get leftOut(): LeftOutObjects | undefined {
    if (this.#unfit.size === 0) return undefined;
    const isSure = this.#unfit.size < MOST_NAMES;
    return {
      message: `the objects of ${this.#options.path} ${this.#tooLarge}`,
      namespaces: isSure ? new Set([...this.#unfit].map((key) => key.slice(0, key.indexOf("/")))) : undefined,
    };
  }

  get #tooLarge(): string {
    const { maxBytes, budget } = this.#options;
    return `take more than ${Math.min(maxBytes, budget?.most ?? Infinity)} bytes`;
  }

  /** Resolves when the objects were listed for the first time, or when that was refused. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Ends the watch; resolves when nothing of it is under way. */
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
        else if (
          this.#options.persistent !== true && (refusal.status === 403 || refusal.status === 404) ||
          refusal.status === undefined && this.#isFull
        ) {
          state = "give up";
        }
        if (refusal !== undefined) this.#log(state === "give up" ? "not kept" : "list failed", refusal);
      }
      // It may have been closed while it listed.
      const end = state === "watch" && !stopped.aborted ? await this.#watch() : "broken";
      this.#open = false;
      if (this.#isFull) state = "give up";
      else if (end === "too old") state = "list";
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

  /** Reads all pages anew, one in memory at a time; the failure when that was not possible. */
  async #relist(): Promise<FailedAnswer | undefined> {
    const { path, call } = this.#options;
    const listed = new Set<string>();
    this.#unfit.clear();
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
    if (!this.#isFull) return undefined;
    return { ok: false, status: undefined, message: `the objects ${this.#tooLarge}` };
  }

  async #watch(): Promise<End> {
    const ended = new AbortController();
    const abort = () => ended.abort();
    this.#stop.signal.addEventListener("abort", abort);
    let timer = setTimeout(abort, SILENCE);
    try {
      const query =
        `watch=true&allowWatchBookmarks=true&timeoutSeconds=${LASTS}&resourceVersion=${this.#version}`;
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
      return "broken"; // The body broke off, or an event could not be read: begin again where it was.
    } finally {
      clearTimeout(timer);
      ended.abort();
      this.#stop.signal.removeEventListener("abort", abort);
    }
  }

  /** Takes an event in; false when the server says that it cannot go on from here. */
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
    if (this.#fits(bytes)) {
      this.#objects.set(key, watched);
      this.#take(bytes);
    } else this.#leaveOut(key);
    this.#list = undefined;
    if (changed === undefined) return;
    return changed({
      object: keep === undefined ? this.#typed(watched) : { ...this.#type, ...whole },
      former: former && this.#typed(former),
    });
  }

  /** Whether an object is kept; a kind that is not persistent is given up as soon as one is too much. */
  #fits(bytes: number): boolean {
    if (this.#options.persistent !== true) return true;
    const { maxBytes, budget } = this.#options;
    return this.#bytes + bytes <= maxBytes && (budget === undefined || budget.used + bytes <= budget.most);
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#options.budget !== undefined) this.#options.budget.used += bytes;
  }

  #leaveOut(key: string): void {
    if (this.#unfit.size === 0) {
      const { path, log } = this.#options;
      log?.write("error", `${path}: objects are left out`, { reason: `the objects ${this.#tooLarge}` });
    }
    if (this.#unfit.size < MOST_NAMES) this.#unfit.add(key);
  }

  #remove(key: string): void | Promise<void> {
    const former = this.#drop(key);
    return former && this.#options.changed?.({ object: undefined, former: this.#typed(former) });
  }

  #drop(key: string): WatchedObject | undefined {
    if (this.#unfit.size < MOST_NAMES) this.#unfit.delete(key);
    const former = this.#objects.get(key);
    if (former === undefined) return undefined;
    this.#objects.delete(key);
    this.#take(-former.bytes);
    this.#list = undefined;
    return former;
  }

  #log(what: string, failure: FailedAnswer): void {
    if (this.#stop.signal.aborted) return;
    const { path, log } = this.#options;
    log?.write("warn", `${path}: ${what}`, { reason: describeFailure({ method: "GET", path }, failure) });
  }
}

/** Whether a refusal says something of the kind. These come and go: a busy API server, one that starts, a list that took too long. */
function isFinal({ status }: FailedAnswer): boolean {
  return status !== undefined && ![410, 429, 503, 504].includes(status);
}

function keyOf(object: JsonObject): string {
  return `${namespaceOf(object)}/${nameOf(object)}`;
}

/** A list brings objects that were known already. */
function isSameVersion(former: JsonObject | undefined, object: JsonObject): boolean {
  const version = dig(object, "metadata", "resourceVersion");
  return former !== undefined && isString(version) && version === dig(former, "metadata", "resourceVersion");
}
