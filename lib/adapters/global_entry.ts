import { asList, asString, Fault, field, isFault, type Json, setField, textField } from "../json/mod.ts";
import { parseDuration } from "../kube/mod.ts";
import type { ApiCall, Clock, Cluster, Entropy, Http, HttpCall, Lifetime } from "../ports.ts";
import { withRetries } from "./retry.ts";

/** The ports through which entries make their calls. */
export interface Callers {
  readonly cluster: Cluster;
  readonly http: Http;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** How long the answer to an entry's call counts among those of evaluations, and what ends its tries. */
export interface EntryCall {
  readonly lifetime: Lifetime;
  readonly signal?: AbortSignal;
}

const defaultRefresh = 600_000;
const defaultRetries = 3;
/** Milliseconds before the second try and, at most, before each further one. */
const firstPause = 100, mostPause = 5_000;

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
 * Makes an entry's `apiCall`, up to `retryLimit` times with pauses that double, and returns the answer's body or the
 * last failure.
 */
export async function calledValue(
  apiCall: Json,
  { cluster, http, clock, entropy }: Callers,
  bounds: EntryCall,
): Promise<Json | Fault> {
  const call = callOf(apiCall);
  if (isFault(call)) return call;
  return await withRetries<Json | Fault>(async () => {
    const answer = "url" in call
      ? await http.call({ ...call, ...bounds })
      : await cluster.call({ ...call, ...bounds });
    if (answer.ok) return { value: answer.body, again: undefined };
    const where = "url" in call ? "" : `failed to ${call.method} resource with raw url: ${call.path}: `;
    const isFinal = answer.status !== undefined && answer.status < 500 && answer.status !== 429;
    return { value: new Fault(`${where}${answer.message}`), again: isFinal ? undefined : 0 };
  }, {
    clock,
    entropy,
    attempts: retriesOf(apiCall),
    firstDelay: firstPause,
    maxDelay: mostPause,
    until: Infinity,
    signal: bounds.signal,
  });
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
export function refreshOf(apiCall: Json, least = leastRefresh): number {
  const duration = parseDuration(textField(apiCall, "refreshInterval"));
  const milliseconds = duration === undefined || duration <= 0n
    ? defaultRefresh
    : Number(duration / 1_000_000n);
  return Math.min(Math.max(least, milliseconds), mostRefresh);
}

/** Milliseconds. Shorter intervals would keep the process busy with calls; a longer timer would fire at once. */
const leastRefresh = 1_000, mostRefresh = 2 ** 31 - 1;

function retriesOf(apiCall: Json): number {
  const limit = field(apiCall, "retryLimit");
  return typeof limit === "number" && limit >= 1 ? Math.min(10, Math.floor(limit)) : defaultRetries;
}
