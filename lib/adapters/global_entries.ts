import { asList, asString, Fault, field, isFault, isObject, type Json, setField } from "../json/mod.ts";
import { parseDuration } from "../kube/mod.ts";
import type { Answer, ApiCall, Clock, Cluster, GlobalEntries, Http, HttpCall } from "../ports.ts";
import { itemsOf } from "../embedded/mod.ts";
import { Cache } from "./cache.ts";
import { approximateBytes } from "./size.ts";

/** What {@link ClusterGlobalEntries} works with; times in milliseconds. */
export interface GlobalEntriesOptions {
  readonly cluster: Cluster;
  readonly http: Http;
  readonly clock: Clock;
  /** Compiles and applies a projection's JMESPath: adapters know no expression language. */
  readonly project: (expression: string, value: Json) => Json | Fault;
  /** How long the definition of an entry, and the objects of a `kubernetesResource`, are believed: 10,000. */
  readonly ttl?: number;
  /** How long a failure is: 5,000. */
  readonly failureTtl?: number;
  /** Bytes of all entries kept: 64,000,000. */
  readonly cacheBytes?: number;
}

/** The versions in which clusters serve GlobalContextEntry, newest first. */
const versions = ["v2", "v2beta1", "v2alpha1"];
const DEFAULT_REFRESH = 600_000;
const DEFAULT_RETRIES = 3;

/** What an entry holds: its data under the empty name, and its projections. */
interface Held {
  readonly values: ReadonlyMap<string, Json> | Fault;
  readonly bytes: number;
  readonly ttl: number;
}

/**
 * The global context over a cluster's GlobalContextEntry objects: objects of a `kubernetesResource`, or what an
 * `apiCall` answered, with their projections (`entry.projection`). Values are read when they are asked for and kept for
 * the entry's `refreshInterval` (calls; 10 minutes by default) or a short time (resources, which are not watched).
 */
export class ClusterGlobalEntries implements GlobalEntries {
  readonly #options: Required<GlobalEntriesOptions>;
  readonly #specs: Cache<{ readonly spec: Json | Fault }>;
  readonly #held: Cache<Held>;

  constructor(options: GlobalEntriesOptions) {
    this.#options = { ttl: 10_000, failureTtl: 5_000, cacheBytes: 64_000_000, ...options };
    const { clock, ttl, failureTtl, cacheBytes } = this.#options;
    this.#specs = new Cache({
      clock,
      ttl: ({ spec }) => isFault(spec) ? failureTtl : ttl,
      sizeOf: ({ spec }) => isFault(spec) ? spec.message.length : approximateBytes(spec),
      maxBytes: 4_000_000,
    });
    this.#held = new Cache({
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
    if (isFault(values)) return { ok: false, status: undefined, message: values.message };
    // Kyverno parity: a projection that is null or not there reads as no data.
    const value = values.get(projection);
    if (value === undefined || value === null) {
      return { ok: false, status: undefined, message: "no data available" };
    }
    return { ok: true, status: 200, body: value };
  }

  async #load(name: string): Promise<Held> {
    const { spec } = await this.#specs.get(name, async () => ({ spec: await this.#spec(name) }));
    if (isFault(spec)) return { values: spec, bytes: 0, ttl: 0 };
    // A changed definition is another key, so that nothing old is read under it.
    return await this.#held.get(`${name} ${JSON.stringify(spec)}`, () => this.#hold(spec));
  }

  async #spec(name: string): Promise<Json | Fault> {
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
    if (!answer.ok) return new Fault(answer.message);
    const spec = field(answer.body, "spec");
    return isObject(spec) ? spec : new Fault(`global context entry ${name} has no spec`);
  }

  async #hold(spec: Json): Promise<Held> {
    const { ttl, failureTtl } = this.#options;
    const resource = field(spec, "kubernetesResource"), apiCall = field(spec, "apiCall");
    const value = isObject(resource) ? await this.#objects(resource) : await this.#called(apiCall ?? null);
    if (isFault(value)) return { values: value, bytes: value.message.length, ttl: failureTtl };
    const values = this.#projected(spec, value);
    if (isFault(values)) return { values, bytes: values.message.length, ttl: failureTtl };
    const bytes = [...values.values()].reduce<number>((sum, each) => sum + approximateBytes(each), 0);
    return { values, bytes, ttl: isObject(resource) ? ttl : refreshOf(apiCall ?? null) };
  }

  async #objects(resource: Json): Promise<Json | Fault> {
    const text = (name: string) => asString(field(resource, name)) ?? "";
    const group = text("group"), namespace = text("namespace");
    const parts = [
      ...(group === "" ? ["api"] : ["apis", group]),
      text("version") || "v1",
      ...(namespace === "" ? [] : ["namespaces", namespace]),
      text("resource"),
    ];
    const path = `/${parts.map(encodeURIComponent).join("/")}`;
    const answer = await this.#options.cluster.call({ method: "GET", path });
    if (!answer.ok) return new Fault(`failed to list ${path}: ${answer.message}`);
    const listKind = asString(field(answer.body, "kind")) ?? "";
    const kind = listKind.endsWith("List") ? listKind.slice(0, -4) : "";
    const apiVersion = asString(field(answer.body, "apiVersion")) ?? "";
    // Items of built-in lists leave out what they are; informers put it back.
    return itemsOf(answer.body).map((item) =>
      isObject(item) && kind !== "" ? { apiVersion, kind, ...item } : item
    );
  }

  async #called(apiCall: Json): Promise<Json | Fault> {
    const call = callOf(apiCall);
    if (isFault(call)) return call;
    const tries = retriesOf(apiCall);
    let failure = new Fault("the entry names neither a resource nor a call");
    for (let tried = 0; tried < tries; tried++) {
      const answer = "url" in call
        ? await this.#options.http.call(call)
        : await this.#options.cluster.call(call);
      if (answer.ok) return answer.body;
      const where = "url" in call ? "" : `failed to ${call.method} resource with raw url: ${call.path}: `;
      failure = new Fault(`${where}${answer.message}`);
      // What the server says about the request will not change by asking again.
      if (answer.status !== undefined && answer.status < 500 && answer.status !== 429) break;
    }
    return failure;
  }

  #projected(spec: Json, value: Json): ReadonlyMap<string, Json> | Fault {
    const values = new Map<string, Json>([["", value]]);
    for (const projection of asList(field(spec, "projections"))) {
      const result = this.#options.project(asString(field(projection, "jmesPath")) ?? "", value);
      if (isFault(result)) return result;
      values.set(asString(field(projection, "name")) ?? "", result);
    }
    return values;
  }
}

/** The call that an entry's `apiCall` describes. */
function callOf(apiCall: Json): ApiCall | HttpCall | Fault {
  const method = asString(field(apiCall, "method")) ?? "GET";
  if (method !== "GET" && method !== "POST") return new Fault(`invalid request type ${method}`);
  const pairs: { [name: string]: Json } = {};
  for (const pair of asList(field(apiCall, "data"))) {
    setField(pairs, asString(field(pair, "key")) ?? "", field(pair, "value") ?? null);
  }
  const body = method === "POST" ? { body: pairs } : {};
  const path = asString(field(apiCall, "urlPath")) ?? "";
  if (path !== "") return { method, path, ...body };
  const service = field(apiCall, "service");
  const url = asString(field(service, "url")) ?? "";
  if (url === "") return new Fault("the entry names neither a resource nor a call");
  const caBundle = asString(field(service, "caBundle")) ?? "";
  const headers = asList(field(service, "headers")).map((each) =>
    [asString(field(each, "key")) ?? "", asString(field(each, "value")) ?? ""] as const
  );
  return {
    method,
    url,
    ...body,
    headers: Object.fromEntries(headers),
    ...(caBundle === "" ? {} : { caBundle }),
  };
}

function refreshOf(apiCall: Json): number {
  const duration = parseDuration(asString(field(apiCall, "refreshInterval")) ?? "");
  return duration === undefined || duration <= 0n ? DEFAULT_REFRESH : Number(duration / 1_000_000n);
}

function retriesOf(apiCall: Json): number {
  const limit = field(apiCall, "retryLimit");
  return typeof limit === "number" && limit >= 1 ? Math.min(10, Math.floor(limit)) : DEFAULT_RETRIES;
}
