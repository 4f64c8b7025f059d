import { Fault, field, isFault, isObject, type Json, sharedHeapSize, textField } from "../json/mod.ts";
import type { Answer, GlobalEntries } from "../ports.ts";
import { isObjectName, itemsOf } from "../kube/mod.ts";
import {
  type CompileProjection,
  EntryProjections,
  type EntryValues,
  projectionOf,
  sizeOf,
} from "./entry_projections.ts";
import { calledValue, type Callers, type EntryCall, refreshOf, watchedPath } from "./global_entry.ts";
import { AnswerLifetime } from "../answer_lifetime.ts";
import { SharedLoads } from "./shared_loads.ts";

/** The ports and bounds of {@link ClusterGlobalEntries}. Times are in milliseconds. */
export interface GlobalEntriesOptions extends Callers {
  readonly compile: CompileProjection;
  /** How long the cache keeps an entry's definition and the objects of a `kubernetesResource`: 10,000. */
  readonly ttl?: number;
  /** How long the cache keeps a failure: 5,000. */
  readonly failureTtl?: number;
  /** How long requests wait for a load, from its begin: 5,000. */
  readonly mostWait?: number;
  /** The most bytes of all cached entries: 64,000,000. */
  readonly cacheBytes?: number;
}

/** The versions in which clusters serve GlobalContextEntry, newest first. */
const versions = ["v2", "v2beta1", "v2alpha1"];

/** The cached values of one entry: its data under the empty name, and its projections by name. */
interface Held {
  readonly values: EntryValues | Fault;
  readonly bytes: number;
  readonly ttl: number;
}

/** Answers those who would wait too long for a service that hangs. */
const notReady: Held = {
  values: new Fault("the entry is not ready: its load has not ended"),
  bytes: 0,
  ttl: 0,
};

/**
 * The global context of a cluster's GlobalContextEntry objects: the objects of a `kubernetesResource` or the answer to
 * an `apiCall`, with their projections (`entry.projection`). It loads values at the first read. It caches the answer to
 * a call for the entry's `refreshInterval` (10 minutes by default), and objects for a short time, as it watches none.
 */
export class ClusterGlobalEntries implements GlobalEntries {
  readonly #options: Required<GlobalEntriesOptions>;
  readonly #specs: SharedLoads<{ readonly spec: Json | Fault }>;
  readonly #held: SharedLoads<Held>;
  /** Resolves when a load that is under way takes too long, by its key. */
  readonly #late = new Map<string, Promise<Held>>();

  constructor(options: GlobalEntriesOptions) {
    this.#options = { ttl: 10_000, failureTtl: 5_000, mostWait: 5_000, cacheBytes: 64_000_000, ...options };
    const { clock, ttl, failureTtl, cacheBytes } = this.#options;
    this.#specs = new SharedLoads({
      clock,
      ttl: ({ spec }) => isFault(spec) ? failureTtl : ttl,
      sizeOf: ({ spec }) => isFault(spec) ? spec.message.length : sharedHeapSize(spec),
      maxBytes: 4_000_000,
    });
    this.#held = new SharedLoads({
      clock,
      ttl: (held) => held.ttl,
      sizeOf: ({ bytes }) => bytes,
      maxBytes: cacheBytes,
    });
  }

  async entry(name: string): Promise<Answer> {
    const dot = name.indexOf(".");
    const projection = dot < 0 ? "" : name.slice(dot + 1);
    const { values } = await this.#load(dot < 0 ? name : name.slice(0, dot));
    return projectionOf(values, projection);
  }

  async #load(name: string): Promise<Held> {
    const { spec } = await this.#specs.get(name, async () => ({ spec: await this.#spec(name) }));
    if (isFault(spec)) return { values: spec, bytes: 0, ttl: 0 };
    // The key contains the definition, so an entry with a changed definition never reads old values.
    const key = `${name} ${JSON.stringify(spec)}`;
    const held = this.#held.get(key, () => this.#hold(key, spec)), late = this.#late.get(key);
    return await (late === undefined ? held : Promise.race([held, late]));
  }

  async #spec(name: string): Promise<Json | Fault> {
    if (!isObjectName(name)) return new Fault("the name of the entry is empty", name);
    const { cluster } = this.#options;
    let served = "";
    for (const version of versions) {
      if (await cluster.resource(`kyverno.io/${version}`, "GlobalContextEntry") !== undefined) {
        served = version;
        break;
      }
    }
    if (served === "") return new Fault("the cluster has no GlobalContextEntry");
    const path = `/apis/kyverno.io/${served}/globalcontextentries/${encodeURIComponent(name)}`;
    const answer = await cluster.call({ method: "GET", path });
    if (!answer.ok) return new Fault(answer.message, answer.status === 404 ? name : undefined);
    const spec = field(answer.body, "spec");
    return isObject(spec) ? spec : new Fault(`global context entry ${name} has no spec`);
  }

  async #hold(key: string, spec: Json): Promise<Held> {
    const lifetime = new AnswerLifetime(), late = Promise.withResolvers<Held>();
    const timer = setTimeout(() => late.resolve(notReady), this.#options.mostWait);
    this.#late.set(key, late.promise);
    try {
      return await this.#valuesOf(spec, { lifetime });
    } finally {
      clearTimeout(timer);
      this.#late.delete(key);
      // From now on the cache counts what it keeps.
      lifetime.end();
    }
  }

  async #valuesOf(spec: Json, bounds: EntryCall): Promise<Held> {
    const { ttl, failureTtl, compile } = this.#options;
    const resource = field(spec, "kubernetesResource"), apiCall = field(spec, "apiCall") ?? null;
    const isCall = !isObject(resource);
    const value = isCall
      ? await calledValue(apiCall, this.#options, bounds)
      : await this.#objects(resource, bounds);
    const values = isFault(value)
      ? value
      : new EntryProjections(spec, isCall ? "answer" : "objects", compile).values(value);
    if (isFault(values)) return { values, bytes: values.message.length, ttl: failureTtl };
    return { values, bytes: sizeOf(values), ttl: isCall ? refreshOf(apiCall) : ttl };
  }

  async #objects(resource: Json, bounds: EntryCall): Promise<Json | Fault> {
    const path = watchedPath(resource);
    const answer = await this.#options.cluster.call({ method: "GET", path, ...bounds });
    if (!answer.ok) return new Fault(`failed to list ${path}: ${answer.message}`);
    const listKind = textField(answer.body, "kind");
    const kind = listKind.endsWith("List") ? listKind.slice(0, -4) : "";
    const apiVersion = textField(answer.body, "apiVersion");
    // The API server leaves kind and apiVersion out of the items of built-in lists; informers add them again.
    const items = itemsOf(answer.body);
    if (items === undefined) return new Fault(`failed to list ${path}: the answer is no list`);
    return items.map((item) => isObject(item) && kind !== "" ? { apiVersion, kind, ...item } : item);
  }
}
