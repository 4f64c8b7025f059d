import { EmbeddedCluster } from "../../../lib/embedded/mod.ts";
import {
  compile,
  type Decision,
  evaluate,
  type EvaluateOptions,
  type Phase,
  type PolicyRequest,
} from "../../../lib/engine/mod.ts";
import { asObject, asString, dig, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { parseApiVersion, pluralOf } from "../../../lib/kube/mod.ts";
import type { Answer, Ports } from "../../../lib/ports.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";

/** The policy and the request that a test decides. */
export interface DecisionInput {
  readonly policy: string;
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
  readonly operation?: PolicyRequest["operation"];
  readonly cluster?: readonly Json[];
  readonly username?: string;
  readonly phase?: Phase;
  readonly absent?: EvaluateOptions["absent"];
  /** `policy` asks one policy alone, `all` is the command line. */
  readonly only?: string;
}

const nothing = (what: string): Promise<Answer> =>
  Promise.resolve({ ok: false, status: undefined, message: `${what} cannot be reached here` });

/** Ports over an embedded cluster that holds the objects. */
export function portsOver(objects: readonly Json[]): Ports {
  const clock = { now: () => 0 };
  const entropy = { next: () => 0.5 };
  return {
    cluster: new EmbeddedCluster({ objects, intake: "complete", clock, entropy }),
    http: { call: () => nothing("the service") },
    registry: { image: () => nothing("the registry") },
    globals: { entry: () => nothing("the global context") },
    clock,
    entropy,
  };
}

/** Decides as the webhook would. */
export async function decide(input: DecisionInput): Promise<Decision> {
  const { policy, object, oldObject, username = "jane", phase = "validate" } = input;
  const subject = object ?? oldObject ?? {};
  const operation = input.operation ?? (object === undefined ? "DELETE" : oldObject ? "UPDATE" : "CREATE");
  const snapshot = compile(parseDocuments(policy, "policy.yaml").documents, { dialect: "current" });
  const kind = {
    ...parseApiVersion(asString(subject["apiVersion"]) ?? ""),
    kind: asString(subject["kind"]) ?? "",
  };
  const { group, version } = kind;
  const name = asString(dig(subject, "metadata", "name")) ?? "";
  // The API server counts a Namespace as an object in itself.
  const namespace = kind.kind === "Namespace" ? name : asString(dig(subject, "metadata", "namespace")) ?? "";
  const variable: JsonObject = {
    uid: "1",
    kind,
    resource: { group, version, resource: pluralOf(kind.kind) },
    name,
    namespace,
    operation,
    userInfo: { username, groups: ["dev"] },
    object: object ?? null,
    oldObject: oldObject ?? null,
    dryRun: false,
  };
  return await evaluate(snapshot, {
    uid: "1",
    operation,
    ...kind,
    subresource: "",
    namespace,
    name,
    object: asObject(object),
    oldObject: asObject(oldObject),
    requester: { username, groups: ["dev"] },
    dryRun: false,
    variable,
  }, {
    phase,
    ports: portsOver(input.cluster ?? []),
    rules: "all",
    ...(input.absent !== undefined && { absent: input.absent }),
    ...(input.only !== undefined && { policy: input.only }),
  });
}

/** The results of a decision as `result message`, one a rule. */
export function resultLines({ results }: Decision): string[] {
  return results.flatMap(({ rules }) => rules.map(({ result, message }) => `${result} ${message}`));
}

/** A Deployment in a namespace. */
export function deployment(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "prod", ...metadata },
    spec,
  };
}
