import type { JsonObject } from "../../json/mod.ts";
import { builtinKind, collectionPath, parseApiVersion } from "../../kube/mod.ts";
import type { ServedResource } from "../../ports.ts";

/** A kind of policy that the API server enforces. The kind of its binding is the same with `Binding` behind it. */
export type AdmissionPolicyKind = "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy";

/** Every kind, in the order in which they are watched. */
export const admissionPolicyKinds: readonly AdmissionPolicyKind[] = [
  "ValidatingAdmissionPolicy",
  "MutatingAdmissionPolicy",
];

/** The specs of an admission policy and its binding, without names and owners. */
export interface AdmissionPolicyParts {
  readonly kind: AdmissionPolicyKind;
  readonly spec: JsonObject;
  readonly binding: JsonObject;
}

const group = "admissionregistration.k8s.io";

/**
 * The version in which the cluster serves a kind, the newest that it has; `undefined` when it does not serve it.
 * MutatingAdmissionPolicy had v1alpha1 and v1beta1 before v1, and not every API server serves them.
 */
export function admissionPolicyVersion(
  kind: AdmissionPolicyKind,
  served: readonly ServedResource[],
): string | undefined {
  const found = served.find((each) => each.group === group && each.kind === kind && each.preferred);
  return found === undefined ? undefined : `${group}/${found.version}`;
}

/** The collections of a kind and its bindings in a version, by kind. */
export function admissionPolicyPaths(
  kind: AdmissionPolicyKind,
  apiVersion: string,
): Readonly<Record<string, string>> {
  const { version } = parseApiVersion(apiVersion);
  return Object.fromEntries(
    [kind, `${kind}Binding`].map((each) => [
      each,
      collectionPath({ group, version, plural: builtinKind(each)!.plural, namespaced: false }, ""),
    ]),
  );
}
