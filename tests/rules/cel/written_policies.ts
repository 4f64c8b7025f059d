/** Policies in CEL as text, and Pods for them. */
import type { JsonObject } from "../../../lib/json/mod.ts";

export const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "prod", ...metadata },
  spec,
});

/** A policy of a kind with this spec; `more` is put beside the constraints. */
export function written(
  kind: string,
  more: string,
  resources = "{apiGroups: [''], apiVersions: [v1], resources: [pods]}",
): string {
  const apiVersion = kind.includes("Admission")
    ? "admissionregistration.k8s.io/v1"
    : "policies.kyverno.io/v1";
  const rule = resources.replace("}", ", operations: [CREATE, UPDATE]}");
  return `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [${rule}]}
${more.replace(/^(?=.)/gm, "  ")}
`;
}

export const named = "validations: [{expression: 'object.metadata.name != \"web\"', message: bad name}]";
