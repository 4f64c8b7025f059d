/** Events that tell of decisions. */
import assert from "node:assert/strict";
import { compile, evaluate, type PolicyRequest } from "../../lib/engine/mod.ts";
import { dig, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { decisionEvents, effectEvents, EventWriter } from "../../lib/live/mod.ts";
import type { ApiCall, Cluster } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";

const policyText = (action: string) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams, uid: p-1, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  background: false
  rules:
  - name: team
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {failureAction: ${action}, message: "a team is needed", pattern: {metadata: {labels: {team: "?*"}}}}
`;

function request(labels: JsonObject): PolicyRequest {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "shop", labels } };
  return {
    uid: "u",
    operation: "CREATE",
    group: "",
    version: "v1",
    kind: "ConfigMap",
    subresource: "",
    namespace: "shop",
    name: "c",
    object,
    oldObject: undefined,
    requester: { username: "jane", groups: [] },
    dryRun: false,
    variable: { namespace: "shop", name: "c", operation: "CREATE", object },
  };
}

async function events(
  action: string,
  labels: JsonObject,
  { successes = false, by = "admission" }: { successes?: boolean; by?: "admission" | "scan" } = {},
) {
  const { documents } = parseDocuments(policyText(action), "p.yaml");
  const admitted = request(labels);
  const decision = await evaluate(compile(documents), admitted, {
    phase: "validate",
    rules: "all",
    ports: clusterPorts([]),
  });
  const { value } = documents[0]!;
  const policyObject = () => isObject(value) ? value : undefined;
  const exceptionObject = () => undefined;
  return decisionEvents(decision, { request: admitted, policyObject, exceptionObject, successes, by });
}

const cases: readonly (readonly [
  what: string,
  action: string,
  labels: JsonObject,
  expected: readonly (readonly [about: Json, reason: string, action: string, message: RegExp])[],
])[] = [
  ["a denial has an event about the policy alone", "Enforce", {}, [
    [
      "ClusterPolicy",
      "PolicyViolation",
      "Resource Blocked",
      /^ConfigMap shop\/c: \[team\] fail \(blocked\); .*a team is needed/,
    ],
  ]],
  ["an audited violation has events about the policy and the object", "Audit", {}, [
    ["ClusterPolicy", "PolicyViolation", "Resource Passed", /^ConfigMap shop\/c: \[team\] fail; /],
    ["ConfigMap", "PolicyViolation", "Resource Passed", /^policy teams\/team fail: /],
  ]],
  ["a success has an event when configured", "Enforce", { team: "red" }, [
    ["ClusterPolicy", "PolicyApplied", "Resource Passed", /^ConfigMap shop\/c: pass$/],
  ]],
];

for (const [what, action, labels, expected] of cases) {
  Deno.test(`events: ${what}`, async () => {
    const found = await events(action, labels, { successes: true });
    assert.deepEqual(
      found.map(({ regarding, reason, action }) => [regarding["kind"], reason, action]),
      expected.map((each) => each.slice(0, 3)),
    );
    found.forEach(({ message }, index) => assert.match(message, expected[index]![3]));
  });
}

Deno.test("events: a scan has no events for successes", async () => {
  assert.deepEqual(await events("Enforce", { team: "red" }, { successes: true, by: "scan" }), []);
});

Deno.test("events: successes have no events by default", async () => {
  assert.deepEqual(await events("Enforce", { team: "red" }), []);
});

Deno.test("events: a missing target has no event", async () => {
  const { documents } = parseDocuments(policyText("Audit"), "p.yaml");
  const admitted = request({});
  const { results } = await evaluate(compile(documents), admitted, {
    phase: "validate",
    rules: "all",
    ports: clusterPorts([]),
  });
  const effects = results.map(({ policy, rules }) => ({
    policy,
    rules: rules.map((rule) => ({ ...rule, type: "mutateExisting" as const })),
  }));
  const by = { policy: "teams", rule: "team" };
  const found = (nothingToDo?: "targetMissing") =>
    effectEvents({
      state: "given up",
      request: admitted,
      results: effects,
      carried: [],
      failures: [{ message: "not found", retryable: true, ...(nothingToDo && { nothingToDo }), by }],
    }, {
      policyObject: () => ({ kind: "ClusterPolicy", metadata: { name: "teams" } }),
      exceptionObject: () => undefined,
      successes: false,
    });
  assert.deepEqual(found("targetMissing"), []);
  assert.deepEqual(found().map(({ reason }) => reason), ["PolicyError"]);
});

const exceptionTexts: Readonly<Record<string, string>> = {
  exception: `${policyText("Enforce")}
---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: one, namespace: shop, uid: e-1}
spec:
  exceptions: [{policyName: teams, ruleNames: [team]}]
  match: {any: [{resources: {kinds: [ConfigMap]}}]}
`,
  "cel-exception": `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: teams, uid: p-1}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "false"}]
---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: one, namespace: shop, uid: e-1}
spec:
  policyRefs: [{name: teams, kind: ValidatingPolicy}]
  matchConditions: [{name: all, expression: "true"}]
`,
};

const skips: readonly (readonly [role: string, ofException: string, ofPolicy: string])[] = [
  ["exception", "policy rule teams/team", "rule team due to policy exceptions shop/one"],
  ["cel-exception", "policy teams", "policy teams due to policy exceptions shop/one"],
];

for (const [role, ofException, ofPolicy] of skips) {
  Deno.test(`events: an exemption is an event about the ${role} and about the policy`, async () => {
    const { documents } = parseDocuments(exceptionTexts[role]!, "p.yaml");
    const admitted = request({});
    const ports = clusterPorts([]);
    const decision = await evaluate(compile(documents), admitted, { phase: "validate", rules: "all", ports });
    const objects = documents.map(({ value }) => value as JsonObject);
    const found = decisionEvents(decision, {
      request: admitted,
      policyObject: () => objects[0],
      exceptionObject: (wanted, key) => wanted === role && key === "shop/one" ? objects[1] : undefined,
      successes: false,
    });
    const shared = { kind: "ConfigMap", reason: "PolicySkipped", action: "Resource Passed" };
    const resource = "resource ConfigMap/shop/c was skipped from";
    assert.deepEqual(
      found.map(({ regarding, related, reason, action, message }) => ({
        uid: regarding["uid"],
        kind: related!["kind"],
        reason,
        action,
        message,
      })),
      [
        { uid: "e-1", ...shared, message: `${resource} ${ofException}` },
        { uid: "p-1", ...shared, message: `${resource} ${ofPolicy}` },
      ],
    );
  });
}

Deno.test("the writer writes events that arrive after it was idle, and drain() waits for them", async () => {
  const written: ApiCall[] = [];
  const cluster: Cluster = {
    call: (call) => {
      written.push(call);
      return Promise.resolve({ ok: true, status: 201, body: {} });
    },
    resource: () => Promise.resolve(undefined),
  };
  const writer = new EventWriter({
    cluster,
    clock: { now: () => Date.parse("2026-11-22T10:00:00Z") },
    log: { write: () => {} },
    omitted: new Set(["PolicySkipped"]),
    successActions: () => ["Resource Mutated"],
  });
  writer.add([]);
  await writer.drain();
  const [violation] = await events("Enforce", {});
  const [success] = await events("Enforce", { team: "red" }, { successes: true });
  writer.add([violation!, { ...violation!, reason: "PolicySkipped" }, success!]);
  await writer.drain();
  assert.deepEqual(written.map(({ path }) => path), ["/apis/events.k8s.io/v1/namespaces/default/events"]);
  assert.equal(dig(written[0]!.body ?? null, "reportingController"), "kyverno-admission");
  assert.equal(writer.dropped, 0);
  writer.add(Array.from({ length: 1_200 }, () => violation!));
  assert.equal(writer.dropped, 200);
  await writer.drain();
});
