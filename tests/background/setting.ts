import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { compile, type PolicyRequest, type Snapshot } from "../../lib/engine/mod.ts";
import { asString, dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { typeOf } from "../../lib/kube/mod.ts";
import type { Answer, ApiCall, Cluster, Log, Ports } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

/** An embedded cluster that records its calls, and can be made to fail. */
export class WatchedCluster implements Cluster {
  readonly inner: EmbeddedCluster;
  /** Calls that write, as `METHOD path`. */
  readonly writes: string[] = [];
  /** Answers instead of the cluster when it has one. */
  interfere: (call: ApiCall) => Answer | undefined = () => undefined;

  constructor(inner: EmbeddedCluster) {
    this.inner = inner;
  }

  call(call: ApiCall): Promise<Answer> {
    const instead = this.interfere(call);
    if (instead !== undefined) return Promise.resolve(instead);
    if (call.method !== "GET") this.writes.push(`${call.method} ${call.path}`);
    return this.inner.call(call);
  }

  resource(...type: Parameters<Cluster["resource"]>): ReturnType<Cluster["resource"]> {
    return this.inner.resource(...type);
  }

  /** The stored object, or nothing. */
  async read(path: string): Promise<JsonObject | undefined> {
    const answer = await this.inner.call({ method: "GET", path });
    return answer.ok ? answer.body as JsonObject : undefined;
  }
}

/** Ports around a cluster that holds the objects of a YAML text. */
export function portsWith(objects: string): { cluster: WatchedCluster; ports: Ports } {
  let ticks = 1_700_000_000_000;
  let seed = 1;
  const clock = { now: () => ticks += 1000 };
  const entropy = { next: () => (seed = (seed * 16807) % 2147483647) / 2147483647 };
  const inner = new EmbeddedCluster({ objects: documents(objects), clock, entropy });
  const cluster = new WatchedCluster(inner);
  const nothing = (): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: "there is nothing else" });
  return {
    cluster,
    ports: {
      cluster,
      http: { call: nothing },
      registry: { image: nothing },
      globals: { entry: nothing },
      clock,
      entropy,
    },
  };
}

/** Policies of a YAML text. */
export function policies(text: string, dialect: "classic" | "current" = "current"): Snapshot {
  return compile(parseDocuments(text, "policies.yaml").documents, { dialect });
}

/** The values of a YAML text. */
export function documents(text: string): Json[] {
  return parseDocuments(text, "objects.yaml").documents.map(({ value }) => value);
}

/** An admission request about an object. */
export function request(
  object: JsonObject,
  change: Partial<PolicyRequest> & { uid?: string } = {},
): PolicyRequest {
  const operation = change.operation ?? "CREATE";
  const about = {
    uid: change.uid ?? crypto.randomUUID(),
    operation,
    namespace: asString(dig(object, "metadata", "namespace")) ?? "",
    name: asString(dig(object, "metadata", "name")) ?? "",
    object: operation === "DELETE" ? undefined : object,
    oldObject: operation === "DELETE" ? object : change.oldObject,
    requester: { username: "jane", groups: [] },
    dryRun: false,
    subresource: "",
    ...typeOf(object),
  };
  return {
    ...about,
    variable: {
      operation,
      namespace: about.namespace,
      name: about.name,
      userInfo: { username: "jane", groups: [] },
      ...(about.object && { object: about.object }),
      ...(about.oldObject && { oldObject: about.oldObject }),
    },
    ...change,
  };
}

/** A log that keeps its lines as `level message`. */
export function keptLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, write: (level, message) => lines.push(`${level} ${message}`) };
}

/** A policy that makes a ConfigMap of data and clones a Secret, for each namespace with a label. */
export const synchronized = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: both}
spec:
  rules:
  - name: data
    match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: "yes"}}}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: ConfigMap
      name: settings
      namespace: "{{ request.object.metadata.name }}"
      data: {data: {color: blue}}
  - name: clone
    match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: "yes"}}}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: Secret
      name: regcred
      namespace: "{{ request.object.metadata.name }}"
      clone: {namespace: default, name: regcred}
`;

/** Where the policy puts its objects for the namespace blue, and the source of its copies. */
export const settings = "/api/v1/namespaces/blue/configmaps/settings";
export const copy = "/api/v1/namespaces/blue/secrets/regcred";
export const source = "/api/v1/namespaces/default/secrets/regcred";
