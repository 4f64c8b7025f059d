import { asList, asString, Fault, field, isFault, type Json, setField, textField } from "../json/mod.ts";
import { parseDuration } from "../kube/mod.ts";
import type { Answer, ApiCall, Cluster, Http, HttpCall } from "../ports.ts";

/** The values of a GlobalContextEntry: its data under the empty name, and its projections by name. */
export type EntryValues = ReadonlyMap<string, Json>;

/** Compiles and applies a projection's JMESPath, because adapters evaluate no expressions themselves. */
export type Projector = (expression: string, value: Json) => Json | Fault;

/** The ports through which entries make their calls. */
export interface Callers {
  readonly cluster: Cluster;
  readonly http: Http;
}

const DEFAULT_REFRESH = 600_000;
const DEFAULT_RETRIES = 3;

/** Returns the API path of the objects that an entry's `kubernetesResource` names. */
export function watchedPath(resource: Json): string {
  const text = (name: string) => textField(resource, name);
  const group = text("group"), namespace = text("namespace");
  const parts = [
    ...(group === "" ? ["api"] : ["apis", group]),
    text("version") || "v1",
    ...(namespace === "" ? [] : ["namespaces", namespace]),
    text("resource"),
  ];
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

/**
 * Returns one value of an entry. Kyverno parity: a projection that is null or absent reads as no data. Pinned by
 * tests/adapters/global_entries_test.ts.
 */
export function projectionOf(values: EntryValues | Fault, projection: string): Answer {
  // Only the fault of an entry that does not exist has `missing`.
  if (isFault(values)) {
    return { ok: false, status: values.missing === undefined ? undefined : 404, message: values.message };
  }
  const value = values.get(projection);
  if (value === undefined || value === null) {
    return { ok: false, status: undefined, message: "no data available" };
  }
  return { ok: true, status: 200, body: value };
}

/** Makes an entry's `apiCall`, up to `retryLimit` times, and returns the answer's body or the last failure. */
export async function calledValue(apiCall: Json, { cluster, http }: Callers): Promise<Json | Fault> {
  const call = callOf(apiCall);
  if (isFault(call)) return call;
  const tries = retriesOf(apiCall);
  let failure = new Fault("the entry names neither a resource nor a call");
  for (let tried = 0; tried < tries; tried++) {
    const answer = "url" in call ? await http.call(call) : await cluster.call(call);
    if (answer.ok) return answer.body;
    const where = "url" in call ? "" : `failed to ${call.method} resource with raw url: ${call.path}: `;
    failure = new Fault(`${where}${answer.message}`);
    // The server would give the same answer again.
    if (answer.status !== undefined && answer.status < 500 && answer.status !== 429) break;
  }
  return failure;
}

/** Computes the projections of an entry and returns them with its data. */
export function projectedValues(spec: Json, value: Json, project: Projector): EntryValues | Fault {
  const values = new Map<string, Json>([["", value]]);
  for (const projection of asList(field(spec, "projections"))) {
    const result = project(textField(projection, "jmesPath"), value);
    if (isFault(result)) return result;
    values.set(textField(projection, "name"), result);
  }
  return values;
}

/** The call that an entry's `apiCall` describes. */
function callOf(apiCall: Json): ApiCall | HttpCall | Fault {
  const method = asString(field(apiCall, "method")) ?? "GET";
  if (method !== "GET" && method !== "POST") return new Fault(`invalid request type ${method}`);
  const pairs: { [name: string]: Json } = {};
  for (const pair of asList(field(apiCall, "data"))) {
    setField(pairs, textField(pair, "key"), field(pair, "value") ?? null);
  }
  const body = method === "POST" ? { body: pairs } : {};
  const path = textField(apiCall, "urlPath");
  if (path !== "") return { method, path, ...body };
  const service = field(apiCall, "service");
  const url = textField(service, "url");
  if (url === "") return new Fault("the entry names neither a resource nor a call");
  const caBundle = textField(service, "caBundle");
  const headers = asList(field(service, "headers")).map((each) =>
    [textField(each, "key"), textField(each, "value")] as const
  );
  return {
    method,
    url,
    ...body,
    headers: Object.fromEntries(headers),
    ...(caBundle === "" ? {} : { caBundle }),
  };
}

/** Milliseconds until an entry's call is repeated. */
export function refreshOf(apiCall: Json, least = LEAST_REFRESH): number {
  const duration = parseDuration(textField(apiCall, "refreshInterval"));
  const milliseconds = duration === undefined || duration <= 0n
    ? DEFAULT_REFRESH
    : Number(duration / 1_000_000n);
  return Math.min(Math.max(least, milliseconds), MOST_REFRESH);
}

/** Milliseconds. Shorter intervals would keep the process busy with calls; a longer timer would fire at once. */
const LEAST_REFRESH = 1_000, MOST_REFRESH = 2 ** 31 - 1;

function retriesOf(apiCall: Json): number {
  const limit = field(apiCall, "retryLimit");
  return typeof limit === "number" && limit >= 1 ? Math.min(10, Math.floor(limit)) : DEFAULT_RETRIES;
}
