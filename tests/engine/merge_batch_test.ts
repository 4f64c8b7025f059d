import assert from "node:assert/strict";
import fc from "fast-check";
import { type Decision, evaluate, type EvaluateOptions, type Snapshot } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

const match = { any: [{ resources: { kinds: ["Pod"] } }] };

function mutation(mutate: JsonObject, rule: JsonObject = {}): JsonObject {
  return { name: "rule", match, ...rule, mutate };
}

const merges: readonly JsonObject[] = [
  { metadata: { labels: { "+(team)": "a" } } },
  { metadata: { labels: { team: "b" }, name: "renamed" } },
  { spec: { hostNetwork: false, dnsPolicy: "Default" } },
  { spec: { containers: [{ "(name)": "*", imagePullPolicy: "Always" }] } },
  { spec: { containers: [{ name: "web", tty: true }, { name: "new", image: "x" }] } },
  { spec: { containers: null } },
  { "<(kind)": "Service", metadata: { labels: { team: "c" } } },
  // Errors: a map where a list is, and no kind left.
  { spec: { containers: { name: "web" } } },
  { kind: null },
];

const rules: readonly JsonObject[] = [
  ...merges.map((patchStrategicMerge) => mutation({ patchStrategicMerge })),
  mutation({ patchesJson6902: '[{"op": "add", "path": "/spec/nodeName", "value": "n"}]' }),
  mutation({ patchStrategicMerge: { metadata: { labels: { at: "{{ request.object.spec.nodeName }}" } } } }),
  mutation({ patchStrategicMerge: { spec: { nodeName: "m" } } }, {
    preconditions: {
      all: [{ key: "{{ request.object.metadata.labels.team || '' }}", operator: "Equals", value: "b" }],
    },
  }),
];

const policyLists = fc.array(
  fc.record({
    rules: fc.array(fc.constantFrom(...rules), { minLength: 1, maxLength: 2 }),
    failurePolicy: fc.constantFrom("Fail", "Fail", "Ignore"),
  }),
  { minLength: 1, maxLength: 6 },
);

function snapshotOf(specs: readonly { rules: readonly JsonObject[]; failurePolicy: string }[]): Snapshot {
  const documents = specs.map(({ rules, failurePolicy }, index) => ({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: `policy-${index}` },
    spec: { failurePolicy, rules: rules.map((rule, at) => ({ ...rule, name: `rule-${at}` })) },
  }));
  return policies(documents.map((document) => JSON.stringify(document)).join("\n---\n"));
}

function decideNow(snapshot: Snapshot, object: JsonObject, options: Partial<EvaluateOptions>): Decision {
  const decision = evaluate(snapshot, request(object), { phase: "mutate", ports: ports(), ...options });
  assert.ok(!(decision instanceof Promise));
  return decision;
}

/** A decision without the object after each rule, which batched policies do not keep. */
function said({ allowed, denying, object, patch, results }: Decision): unknown {
  const lines = results.map(({ policy, rules }) => [
    policy.key,
    rules.map(({ rule, type, action, result, message }) => ({ rule, type, action, result, message })),
  ]);
  return JSON.parse(JSON.stringify({ allowed, denied: denying.length > 0, object, patch, lines }));
}

Deno.test("a batch of merges gives the same decision as single merges", () => {
  const labels = fc.constantFrom<JsonObject>({}, { team: "a" }, { team: "b" });
  const spec = fc.constantFrom<JsonObject>(
    { containers: [{ name: "web", image: "x" }] },
    { containers: [{ name: "web", tty: true }, { name: "log" }], nodeName: "k", dnsPolicy: "Default" },
    {},
  );
  fc.assert(
    fc.property(policyLists, labels, spec, (specs, labels, spec) => {
      const snapshot = snapshotOf(specs);
      const object = pod(spec, { labels });
      const before = JSON.stringify(object);
      // Who gives values for variables wants to see each policy by itself.
      const oneByOne = decideNow(snapshot, object, { given: () => ({}) });
      assert.deepEqual(said(decideNow(snapshot, object, {})), said(oneByOne));
      assert.equal(JSON.stringify(object), before);
    }),
    { numRuns: 300 },
  );
});

Deno.test("a batch of merges ends at the request's deadline", () => {
  const specs = Array.from({ length: 12 }, () => ({ rules: [rules[2]!], failurePolicy: "Fail" }));
  let now = 0;
  const slow = { ...ports(), clock: { now: () => (now += 30) } };
  const decision = evaluate(snapshotOf(specs), request(pod()), { phase: "mutate", ports: slow, budget: 100 });
  assert.ok(!(decision instanceof Promise));
  assert.equal(decision.allowed, false);
  assert.equal(
    decision.results.at(-1)?.rules[0]?.message,
    "the request's deadline passed before this rule",
  );
});
