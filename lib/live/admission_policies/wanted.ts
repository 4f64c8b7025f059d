import type { CompiledPolicy, Snapshot } from "../../engine/mod.ts";
import { asString, isFault, type JsonObject } from "../../json/mod.ts";
import { type CelException, parseCelException } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { uidOf } from "../reports/report.ts";
import { type AdmissionPolicyParts, fromClassic } from "./from_classic.ts";
import { fromValidating } from "./from_validating.ts";

/** What became of a policy as one that the API server enforces itself. */
export interface Generation {
  readonly compiled: CompiledPolicy;
  /** The policy and its binding; empty when none are made. */
  readonly objects: readonly JsonObject[];
  /** Why none are made; empty when they are. */
  readonly message: string;
}

/** For every policy that asks for it: the admission policy with its binding, or why there is none. */
export function generations(snapshot: Snapshot, served: readonly ServedResource[]): Generation[] {
  const exceptions: CelException[] = snapshot.others.filter(({ group, kind }) =>
    group === "policies.kyverno.io" && kind === "PolicyException"
  ).map(parseCelException);
  return snapshot.policies.flatMap((compiled): Generation[] => {
    // Only objects of the cluster can own others.
    if (uidOf(compiled.policy.document) === "") return [];
    const parts = fromClassic(compiled, served) ?? fromValidating(compiled, exceptions);
    if (parts === undefined) return [];
    if (isFault(parts)) return [{ compiled, objects: [], message: parts.message }];
    return [{ compiled, objects: objectsOf(compiled, parts), message: "" }];
  });
}

function objectsOf({ policy }: CompiledPolicy, { spec, binding }: AdmissionPolicyParts): JsonObject[] {
  const { document } = policy;
  const name = `${policy.kind === "ValidatingPolicy" ? "vpol" : "cpol"}-${policy.name}`;
  const owner = {
    apiVersion: asString(document["apiVersion"]) ?? "",
    kind: policy.kind,
    name: policy.name,
    uid: uidOf(document),
  };
  const metadata = (own: string): JsonObject => ({
    name: own,
    labels: { "app.kubernetes.io/managed-by": "kyverno" },
    ownerReferences: [owner],
  });
  const apiVersion = "admissionregistration.k8s.io/v1";
  return [
    { apiVersion, kind: "ValidatingAdmissionPolicy", metadata: metadata(name), spec },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: metadata(`${name}-binding`),
      spec: { policyName: name, ...binding },
    },
  ];
}
