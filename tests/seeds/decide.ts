/** Requests put to the policies of the seed documents, in the dialect that is theirs. */
import assert from "node:assert/strict";
import {
  type Background,
  compile,
  type Decision,
  evaluate,
  type Phase,
  type PolicyRequest,
  type Requester,
  type Snapshot,
} from "../../lib/engine/mod.ts";
import { asString, dig, isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import type { Answer, Ports } from "../../lib/ports.ts";
import { parseApiVersion } from "../../lib/kube/mod.ts";
import { parseDocuments, parseYaml } from "../../lib/yaml/mod.ts";

/** Compiles policies; errors and warnings for their author are part of the test, remarks are not. */
export function policies(text: string, diagnostics: readonly string[] = []): Snapshot {
  const snapshot = compile(parseDocuments(text, "policies.yaml").documents, { dialect: "classic" });
  const serious = snapshot.diagnostics.filter(({ severity }) => severity !== "info");
  assert.deepEqual(serious.map(({ severity, code }) => `${severity} ${code}`), diagnostics);
  return snapshot;
}

/** An object from YAML. */
export function object(text: string): JsonObject {
  const value = parseYaml(text);
  assert.ok(!isFault(value) && value !== null && typeof value === "object" && !Array.isArray(value));
  return value as JsonObject;
}

/** How a request differs from the creation of an object by `kubernetes-admin`. */
export interface RequestOptions {
  readonly operation?: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly oldObject?: JsonObject;
  readonly user?: Partial<Requester>;
  readonly phase?: Phase;
  /** Objects in the cluster. */
  readonly cluster?: readonly JsonObject[];
}

/** Decides a request about an object. */
export async function decide(
  snapshot: Snapshot,
  subject: JsonObject,
  options: RequestOptions = {},
): Promise<Decision> {
  const background: Background = {};
  const { phase = "validate", cluster = [] } = options;
  return await evaluate(snapshot, requestAbout(subject, options), {
    phase,
    ports: portsTo(cluster),
    ...((phase === "generate" || phase === "mutateExisting") && { background }),
  });
}

/** `policy/rule result` of each rule that applied. */
export async function results(
  snapshot: Snapshot,
  subject: JsonObject,
  options?: RequestOptions,
): Promise<string[]> {
  const decision = await decide(snapshot, subject, options);
  return decision.results.flatMap(({ rules }) => rules.map(({ rule, result }) => `${rule} ${result}`));
}

/** The messages of the rules that applied. */
export async function messages(
  snapshot: Snapshot,
  subject: JsonObject,
  options?: RequestOptions,
): Promise<string[]> {
  const decision = await decide(snapshot, subject, options);
  return decision.results.flatMap(({ rules }) => rules.map(({ message }) => message));
}

/** The object after the mutations of its creation. */
export async function mutated(
  snapshot: Snapshot,
  subject: JsonObject,
  options: RequestOptions = {},
): Promise<Json> {
  const decision = await decide(snapshot, subject, { ...options, phase: "mutate" });
  assert.deepEqual(
    decision.results.flatMap(({ rules }) => rules.filter(({ result }) => result === "error")),
    [],
  );
  return decision.object ?? null;
}

function requestAbout(
  subject: JsonObject,
  { operation = "CREATE", oldObject, user }: RequestOptions,
): PolicyRequest {
  const name = asString(dig(subject, "metadata", "name")) ?? "";
  const namespace = asString(dig(subject, "metadata", "namespace")) ?? "";
  const { username = "kubernetes-admin", groups = ["system:authenticated"], ...roles } = user ?? {};
  const now = operation === "DELETE" ? undefined : subject;
  const before = operation === "CREATE" || operation === "CONNECT" ? undefined : oldObject ?? subject;
  return {
    uid: "7a7f",
    operation,
    ...parseApiVersion(asString(subject["apiVersion"]) ?? ""),
    kind: asString(subject["kind"]) ?? "",
    subresource: "",
    namespace,
    name,
    object: now,
    oldObject: before,
    requester: { username, groups, ...roles },
    dryRun: false,
    variable: {
      uid: "7a7f",
      operation,
      name,
      namespace,
      object: now ?? null,
      oldObject: before ?? null,
      userInfo: { username, groups: [...groups] },
    },
  };
}

function portsTo(objects: readonly JsonObject[]): Ports {
  const clock = { now: () => Date.UTC(2021, 7, 24) }, entropy = { next: () => 0.5 };
  const refuse = (): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: "not here" });
  return {
    cluster: new EmbeddedCluster({ objects, intake: "verbatim", clock, entropy }),
    http: { call: refuse },
    registry: { image: refuse },
    globals: { entry: refuse },
    clock,
    entropy,
  };
}
