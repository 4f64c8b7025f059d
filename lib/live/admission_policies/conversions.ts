import type { CompiledPolicy, Snapshot } from "../../engine/mod.ts";
import { asString, isFault, type JsonObject, type Stages } from "../../json/mod.ts";
import { labelsOf, nameOf, uidOf } from "../../kube/mod.ts";
import { type CelException, isCelException, parseCelException, policyObjectKinds } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { type AdmissionPolicyParts, admissionPolicyVersion } from "./admission_policy_kind.ts";
import { fromCel } from "./from_cel.ts";
import { fromClassic } from "./from_classic.ts";

/** The admission policy that is made from a policy of Kyverno, or why none is made. */
export interface Conversion {
  readonly compiled: CompiledPolicy;
  /** The admission policy and its binding; empty when none are made. */
  readonly objects: readonly JsonObject[];
  /** The objects as text: with an equal text the API server enforces the same. */
  readonly text: string;
  /** Why none are made; empty when they are. */
  readonly message: string;
}

/**
 * Makes an admission policy and its binding for each policy that requests it, or gives the reason against it. Each
 * stage is about one policy.
 */
export function* conversions(snapshot: Snapshot, served: readonly ServedResource[]): Stages<Conversion[]> {
  const exceptions: CelException[] = snapshot.others.filter(isCelException).map(parseCelException);
  const found: Conversion[] = [];
  for (const compiled of snapshot.policies) {
    const conversion = conversionOf(compiled, exceptions, served);
    if (conversion !== undefined) found.push(conversion);
    yield;
  }
  return found;
}

function conversionOf(
  compiled: CompiledPolicy,
  exceptions: readonly CelException[],
  served: readonly ServedResource[],
): Conversion | undefined {
  // Only objects of the cluster can be owners.
  if (uidOf(compiled.policy.document) === "") return undefined;
  const parts = fromClassic(compiled, served) ?? fromCel(compiled, exceptions);
  if (parts === undefined) return undefined;
  if (isFault(parts)) return notConverted(compiled, parts.message);
  const apiVersion = admissionPolicyVersion(parts.kind, served);
  if (apiVersion === undefined) {
    return notConverted(compiled, `skip generation: the cluster serves no kind ${parts.kind}`);
  }
  const objects = objectsOf(compiled, parts, apiVersion);
  return { compiled, objects, text: JSON.stringify(objects), message: "" };
}

/** The conversion of a policy from which no admission policy is made. */
export function notConverted(compiled: CompiledPolicy, message: string): Conversion {
  return { compiled, objects: [], text: "", message };
}

/** The kinds of policies from which admission policies are made. */
const convertible: readonly string[] = ["ClusterPolicy", "ValidatingPolicy", "MutatingPolicy"];

/** The prefixes of the names of admission policies, by the kind that they are made from. */
const prefixes: ReadonlyMap<string, string> = new Map(
  policyObjectKinds.filter(({ kind }) => convertible.includes(kind))
    .map(({ kind, shortName = "" }) => [kind, shortName]),
);

/** Whether an admission policy or binding was made from a policy of Kyverno; others belong to their authors. */
export function isGenerated(object: JsonObject): boolean {
  return labelsOf(object)["app.kubernetes.io/managed-by"] === "kyverno" && hasGeneratedName(nameOf(object));
}

function hasGeneratedName(name: string): boolean {
  return [...prefixes.values()].some((prefix) => name.startsWith(`${prefix}-`));
}

function objectsOf(
  { policy }: CompiledPolicy,
  { kind, spec, binding }: AdmissionPolicyParts,
  apiVersion: string,
): JsonObject[] {
  const { document } = policy;
  const name = `${prefixes.get(policy.kind)}-${policy.name}`;
  const owner = {
    apiVersion: asString(document["apiVersion"]) ?? "",
    kind: policy.kind,
    name: policy.name,
    uid: uidOf(document),
  };
  const metadata = (name: string): JsonObject => ({
    name,
    labels: { "app.kubernetes.io/managed-by": "kyverno" },
    ownerReferences: [owner],
  });
  return [
    { apiVersion, kind, metadata: metadata(name), spec },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: metadata(`${name}-binding`),
      spec: { policyName: name, ...binding },
    },
  ];
}
