/** References and escapes in the patches of mutate rules, with and without variables beside them. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "../engine/ports.ts";

function merge(a: string): JsonObject {
  return { patchStrategicMerge: { metadata: { annotations: { a, x: "1" } } } };
}

const cases: readonly (readonly [what: string, mutate: JsonObject, annotation: string])[] = [
  ["an escaped reference in a merge", merge("\\$(./../x)"), "$(./../x)"],
  [
    "an escaped reference beside a variable",
    merge("\\$(./../x) {{ request.operation }}"),
    "$(./../x) CREATE",
  ],
  ["a reference in a merge", merge("$(./../x)"), "1"],
  ["an escaped variable", merge("\\{{ request.operation }}"), "{{ request.operation }}"],
  ["an escaped reference in a loop", { foreach: [{ list: "`[1]`", ...merge("\\$(./../x)") }] }, "$(./../x)"],
  [
    "an escaped reference in a JSON patch",
    { patchesJson6902: "- op: add\n  path: /metadata/annotations/a\n  value: \\$(./../x)" },
    "$(./../x)",
  ],
];
for (const [what, mutate, annotation] of cases) {
  Deno.test(`${what} becomes ${annotation}`, async () => {
    const snapshot = policies(JSON.stringify({
      apiVersion: "kyverno.io/v1",
      kind: "ClusterPolicy",
      metadata: { name: "p" },
      spec: { rules: [{ name: "r", match: { any: [{ resources: { kinds: ["Pod"] } }] }, mutate }] },
    }));
    const { object } = await evaluate(snapshot, request(pod()), { phase: "mutate", ports: ports() });
    assert.equal(dig(object, "metadata", "annotations", "a"), annotation);
  });
}
