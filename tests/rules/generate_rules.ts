/** Rules that generate ConfigMaps for a Namespace, and their effects. */
import assert from "node:assert/strict";
import { type Decision, type Effect, evaluate, type PolicyRequest } from "../../lib/engine/mod.ts";
import { asString, dig, type JsonObject } from "../../lib/json/mod.ts";
import { policies, portsWith, request } from "../background/setting.ts";

export const namespace: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team", uid: "u-team", labels: { want: "yes" }, annotations: { zones: "a,b,c" } },
};

export const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: team, uid: u-team}}
---
apiVersion: v1
kind: Secret
metadata:
  name: source
  namespace: default
  uid: u-source
  labels: {keep: me}
  ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u-pod}]
data: {a: eA==}
---
{apiVersion: v1, kind: Secret, metadata: {name: shared-1, namespace: default, labels: {shared: "yes"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: shared-2, namespace: default, labels: {shared: "yes"}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: shared-3, namespace: default, labels: {shared: "yes"}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: there, namespace: team}, data: {a: old}}
`;

export function policy(generate: string, rest = ""): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:${rest.includes("useServerSideApply") ? "\n  useServerSideApply: true" : ""}
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Namespace]${
    rest.includes("DELETE") ? ", operations: [DELETE]" : ""
  }}}]}
${rest.startsWith("    ") ? rest : ""}
    generate:
${generate.trim().split("\n").map((line) => `      ${line}`).join("\n")}
`;
}

export async function decide(
  text: string,
  subject: PolicyRequest = request(namespace),
  objects = cluster,
): Promise<Decision> {
  const { ports } = portsWith(objects);
  const snapshot = policies(text);
  assert.deepEqual(snapshot.diagnostics.filter(({ severity }) => severity === "error"), []);
  return await evaluate(snapshot, subject, { phase: "generate", ports, background: {} });
}

export function shown({ verb, object }: Effect): string {
  const text = (...path: string[]): string => asString(dig(object, ...path)) ?? "";
  return `${verb} ${text("kind")} ${text("metadata", "namespace")}/${text("metadata", "name")}`;
}

export const map = (name: string, rest: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nname: ${name}\nnamespace: team\n${rest}`;

export const whenWanted =
  '    preconditions: {all: [{key: "{{ request.object.metadata.labels.want || \'\' }}", operator: Equals, value: "yes"}]}';

export const made = (synchronize: boolean): string => map("made", `synchronize: ${synchronize}\ndata: {}`);
