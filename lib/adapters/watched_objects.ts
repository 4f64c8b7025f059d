import { asObject, dig, isString, type Json, type JsonObject, sharedHeapSize } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { LeftOutObjects, Log, ObjectChange } from "../ports.ts";
import type { CollectionType } from "./collection_scope.ts";
import { LeftOutNames, namespaceOfKey } from "./left_out_names.ts";
import type { ObjectBudget } from "./object_budget.ts";

/** The bounds and the listeners of {@link WatchedObjects}. */
export interface WatchedObjectsOptions {
  /** The path that lists the objects, for messages. */
  readonly path: string;
  readonly log?: Log;
  /** The most bytes of objects. Beyond it a persistent kind leaves objects out; any other kind is given up. */
  readonly maxBytes: number;
  /** A further bound, which several kinds share. */
  readonly budget?: ObjectBudget;
  /** Called for every object that is new, changed or gone; `former` is the object as it was in memory before. */
  readonly changed?: (change: ObjectChange) => void | Promise<void>;
  /** Called when objects that were left out are gone or kept now. */
  readonly leftOutChanged?: () => void;
  /** Reduces an object to the fields to keep; when absent, all but the managed fields are kept. */
  readonly keep?: (object: JsonObject) => JsonObject;
  /** Whether objects that do not fit are left out. Otherwise all are kept until they are too large together. */
  readonly persistent?: boolean;
}

interface WatchedObject {
  readonly object: JsonObject;
  readonly bytes: number;
  /** The object with kind and apiVersion. The first read makes it; it stays the same until the object changes. */
  typed?: JsonObject;
}

/** The objects of one kind in memory, within their bounds. */
export class WatchedObjects {
  readonly #options: WatchedObjectsOptions;
  readonly #objects = new Map<string, WatchedObject>();
  /** The kind and apiVersion of all objects. */
  type: CollectionType = { kind: "", apiVersion: "" };
  #bytes = 0;
  #list: Json | undefined;
  /** Objects of a persistent kind that do not fit. */
  #unfit = new LeftOutNames();
  /** The left-out objects of the former list. Until the new list is complete it is unknown whether they fit. */
  #unfitBefore = new LeftOutNames();

  constructor(options: WatchedObjectsOptions) {
    this.#options = options;
  }

  /** Returns the list of all objects in the API server's form; the same list until an object changes. */
  list(resourceVersion: string): Json {
    const { kind, apiVersion } = this.type;
    return this.#list ??= {
      kind: `${kind}List`,
      apiVersion,
      metadata: { resourceVersion },
      items: [...this.#objects.values()].map(({ object }) => object),
    };
  }

  /** Returns one object; `undefined` when it is not in memory. */
  get(namespace: string, name: string): Json | undefined {
    const found = this.#objects.get(`${namespace}/${name}`);
    return found === undefined ? undefined : { ...this.type, ...found.object };
  }

  /** Returns all objects; each stays the same until it changes. */
  all(): readonly JsonObject[] {
    return [...this.#objects.values()].map((each) => this.#typed(each));
  }

  /** The objects that {@link all} leaves out because they take too much memory; `undefined` when there are none. */
  get leftOut(): LeftOutObjects | undefined {
    if (!this.#leavesOut) return undefined;
    const { namespaces } = this.#unfit, before = this.#unfitBefore.namespaces;
    return {
      message: `the objects of ${this.#options.path} ${this.tooLarge}`,
      namespaces: before && namespaces?.union(before),
    };
  }

  /** The end of messages about objects above the bounds. */
  get tooLarge(): string {
    const { maxBytes, budget } = this.#options;
    return `take more than ${Math.min(maxBytes, budget?.most ?? Infinity)} bytes`;
  }

  /** Whether the objects take more than the most bytes of their kind. */
  get isFull(): boolean {
    return this.#bytes > this.#options.maxBytes;
  }

  /** Whether no object is left out since the last list began. */
  get isComplete(): boolean {
    return this.#unfit.isEmpty;
  }

  /** Whether an object that was left out fits now. */
  get hasRoomAgain(): boolean {
    return this.#unfit.mayHold((key, bytes) => this.#fits(key, bytes));
  }

  /** Begins a new list: objects that were left out before may fit now. */
  beginList(): void {
    this.#unfitBefore.addAll(this.#unfit);
    this.#unfit = new LeftOutNames();
  }

  /** Ends a list: removes the objects that it did not contain. */
  async endList(listed: ReadonlySet<string>): Promise<void> {
    for (const key of [...this.#objects.keys()]) if (!listed.has(key)) await this.remove(key);
    const wereLeftOut = !this.#unfitBefore.isEmpty;
    this.#unfitBefore = new LeftOutNames();
    if (wereLeftOut) this.#options.leftOutChanged?.();
  }

  /**
   * Keeps a new or changed object, or leaves it out when it does not fit. `size` is the bytes of heap that the whole
   * object takes, where they were counted.
   */
  put(object: JsonObject, size?: number): void | Promise<void> {
    const key = keyOf(object);
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    const { managedFields: _fields, ...metadata } = asObject(rest["metadata"]) ?? {};
    const whole = { ...rest, metadata };
    const former = this.#objects.get(key);
    if (isSameVersion(former?.object, whole)) return;
    const { changed, keep } = this.#options;
    const kept = keep?.(whole) ?? whole;
    const bytes = size !== undefined && kept === whole ? size : sharedHeapSize(kept);
    this.#drop(key);
    const watched = { object: kept, bytes };
    if (this.#fits(key, bytes)) {
      this.#objects.set(key, watched);
      this.#take(key, bytes);
    } else this.#leaveOut(key, bytes);
    this.#list = undefined;
    if (changed === undefined) return;
    return changed({
      object: keep === undefined ? this.#typed(watched) : { ...this.type, ...whole },
      former: former && this.#typed(former),
    });
  }

  /** Removes a deleted object. */
  remove(key: string): void | Promise<void> {
    this.#list = undefined;
    if (this.#unfit.delete(key)) this.#options.leftOutChanged?.();
    const former = this.#drop(key);
    return former && this.#options.changed?.({ object: undefined, former: this.#typed(former) });
  }

  /** Drops all objects without a call of `changed`. */
  clear(): void {
    for (const key of [...this.#objects.keys()]) this.#drop(key);
  }

  get #leavesOut(): boolean {
    return !this.#unfit.isEmpty || !this.#unfitBefore.isEmpty;
  }

  #typed(watched: WatchedObject): JsonObject {
    return watched.typed ??= { ...this.type, ...watched.object };
  }

  /**
   * Whether to keep an object. A kind that is not persistent keeps all, until they are too large and it is given up.
   */
  #fits(key: string, bytes: number): boolean {
    if (this.#options.persistent !== true) return true;
    const { maxBytes, budget } = this.#options;
    return this.#bytes + bytes <= maxBytes && (budget?.fits(namespaceOfKey(key), bytes) ?? true);
  }

  #take(key: string, bytes: number): void {
    this.#bytes += bytes;
    this.#options.budget?.add(namespaceOfKey(key), bytes);
  }

  #leaveOut(key: string, bytes: number): void {
    if (!this.#leavesOut) {
      const { path, log } = this.#options;
      log?.write("error", `${path}: objects are left out`, { reason: `the objects ${this.tooLarge}` });
    }
    this.#unfit.add(key, bytes);
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
}

/** The key of an object among those of its kind: `NAMESPACE/NAME`. */
export function keyOf(object: JsonObject): string {
  return `${namespaceOf(object)}/${nameOf(object)}`;
}

/** Whether the object has not changed: a list also contains objects that are in memory already. */
function isSameVersion(former: JsonObject | undefined, object: JsonObject): boolean {
  const version = dig(object, "metadata", "resourceVersion");
  return former !== undefined && isString(version) && version === dig(former, "metadata", "resourceVersion");
}
