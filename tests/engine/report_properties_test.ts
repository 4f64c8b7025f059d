import assert from "node:assert/strict";
import { evaluate, type RuleResult } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

function resultOf(rule: string, object: JsonObject): RuleResult {
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    reportProperties:
      team: "{{ request.object.metadata.labels.team }}"
      count: "{{ length(request.object.spec.containers) }}"
      fixed: text
${rule}`);
  assert.deepEqual(snapshot.diagnostics, []);
  const decision = evaluate(snapshot, request(object), { phase: "validate", ports: ports() });
  assert.ok(!(decision instanceof Promise));
  return decision.results[0]!.rules[0]!;
}

const noHostNetwork = "    validate: {message: none, pattern: {spec: {=(hostNetwork): false}}}";
const labelled = pod({ containers: [{ name: "a", image: "b" }] }, { labels: { team: "red" } });

Deno.test("a rule result has reportProperties as texts, with variables replaced", () => {
  const { result, properties } = resultOf(noHostNetwork, labelled);
  assert.equal(result, "pass");
  assert.deepEqual(properties, { team: "red", count: "1", fixed: "text" });
});

Deno.test("reportProperties whose variables have no value stay unchanged", () => {
  const { result, properties } = resultOf(noHostNetwork, pod({ containers: [], hostNetwork: true }));
  assert.equal(result, "fail");
  assert.equal(properties?.["team"], "{{ request.object.metadata.labels.team }}");
});

Deno.test("reportProperties stay unchanged when preconditions do not hold", () => {
  const rule = `    preconditions: {all: [{key: a, operator: Equals, value: b}]}\n${noHostNetwork}`;
  const { result, properties } = resultOf(rule, labelled);
  assert.equal(result, "skip");
  assert.equal(properties?.["count"], "{{ length(request.object.spec.containers) }}");
});

Deno.test("a result's properties override the rule's", () => {
  const rule = "    validate: {podSecurity: {level: baseline}}";
  const { properties } = resultOf(rule, { ...labelled, spec: { hostNetwork: true, containers: [] } });
  assert.equal(properties?.["standard"], "baseline");
  assert.equal(properties?.["fixed"], "text");
});

Deno.test("an unknown variable in reportProperties is reported at load", () => {
  const { diagnostics } = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    reportProperties: {team: "{{ tema }}"}
${noHostNetwork}`);
  assert.deepEqual(diagnostics.map(({ code, position }) => [code, position?.line]), [[
    "unknown-variable",
    9,
  ]]);
});

Deno.test("pod security names the images of violating containers", () => {
  const containers = [
    { name: "web", image: "nginx:1", securityContext: { privileged: true } },
    { name: "fine", image: "redis" },
  ];
  const { properties } = resultOf("    validate: {podSecurity: {level: baseline}}", pod({ containers }));
  assert.deepEqual(JSON.parse(String(properties?.["controlsJSON"])), [
    { ID: "privileged", Name: "Privileged Containers", Images: ["docker.io/nginx:1"] },
  ]);
});
