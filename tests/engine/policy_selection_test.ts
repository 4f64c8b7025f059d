import assert from "node:assert/strict";
import { evaluate, type EvaluateOptions, type PolicyRequest } from "../../lib/engine/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

/** A policy whose rule fails for all that it selects. */
function policy(name: string, resources: string, spec = ""): string {
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  validationFailureAction: Enforce
  ${spec}
  rules:
  - name: rule
    match: {any: [{resources: ${resources}}]}
    validate: {message: refused, deny: {}}
`;
}

const snapshot = policies([
  policy("any-version", "{kinds: [Scale]}"),
  policy("one-version", "{kinds: [autoscaling/v1/Scale]}"),
  policy("subresource", "{kinds: [Scale/status]}"),
  policy("creations", "{kinds: [Scale], operations: [CREATE]}"),
  policy("named", "{kinds: [Scale], names: [one]}"),
  policy(
    "in-shop",
    "{kinds: [Scale]}",
    "validationFailureActionOverrides: [{action: Audit, namespaces: [shop]}]",
  ),
].join(""));

const scale = { group: "autoscaling", version: "v1", kind: "Scale" };

interface Row {
  readonly request: Partial<PolicyRequest>;
  readonly query?: Partial<EvaluateOptions>;
  readonly failing: readonly string[];
}

// Each row comes after rows that are alike but for one thing, whose selection it must not get.
const rows: Record<string, Row> = {
  "a request": { request: {}, failing: ["any-version", "creations", "in-shop", "named", "one-version"] },
  "another version": {
    request: { version: "v2" },
    failing: ["any-version", "creations", "in-shop", "named"],
  },
  "another group": { request: { group: "x.io" }, failing: ["any-version", "creations", "in-shop", "named"] },
  "a subresource": { request: { subresource: "status" }, failing: ["subresource"] },
  "another operation": {
    request: { operation: "UPDATE" },
    failing: ["any-version", "in-shop", "named", "one-version"],
  },
  "another name": {
    request: { object: { ...pod(), metadata: { name: "two" } } },
    failing: ["any-version", "creations", "in-shop", "one-version"],
  },
  "at admission": {
    request: {},
    query: { rules: "admission" },
    failing: ["any-version", "creations", "in-shop", "named", "one-version"],
  },
  "at admission, in a namespace that one policy only audits": {
    request: { namespace: "shop" },
    query: { rules: "admission" },
    failing: ["any-version", "creations", "named", "one-version"],
  },
  "audits of that namespace": {
    request: { namespace: "shop" },
    query: { rules: "audit" },
    failing: ["in-shop"],
  },
  "one policy": { request: {}, query: { policy: "named" }, failing: ["named"] },
  "a missing policy": { request: {}, query: { policy: "nobody" }, failing: [] },
  "policies of another failurePolicy": { request: {}, query: { failurePolicy: "Ignore" }, failing: [] },
  "the request again": {
    request: {},
    failing: ["any-version", "creations", "in-shop", "named", "one-version"],
  },
};
for (const [name, { request: change, query, failing }] of Object.entries(rows)) {
  Deno.test(`the index selects the policies for ${name}`, () => {
    const object = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "one" } };
    const about = request(object, { ...scale, operation: "CREATE", ...change });
    for (let time = 0; time < 2; time++) {
      const decision = evaluate(snapshot, about, { phase: "validate", ports: ports(), ...query });
      assert.ok(!(decision instanceof Promise));
      const failed = decision.results.filter(({ rules }) => rules.some(({ result }) => result === "fail"));
      assert.deepEqual(failed.map(({ policy }) => policy.key).toSorted(), failing);
    }
  });
}
