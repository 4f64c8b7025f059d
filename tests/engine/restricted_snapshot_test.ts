/** A snapshot with some of its policies decides as if the others had never been compiled, and compiles nothing. */
import assert from "node:assert/strict";
import { evaluate, type Phase, restrict, type Snapshot } from "../../lib/engine/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

const match = (kinds = "Pod") => `match: {any: [{resources: {kinds: [${kinds}]}}]}`;
const rules: Readonly<Record<string, string>> = {
  denies: `  - {name: denies, ${match()}, validate: {message: no, deny: {}}}`,
  changes: `  - {name: changes, ${match()}, mutate: {patchStrategicMerge: {metadata: {labels: {NAME: x}}}}}`,
  scales: `  - {name: scales, ${match("Rollout/scale")}, validate: {message: no, deny: {}}}`,
};

function policy(name: string, ...names: readonly string[]): string {
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  validationFailureAction: Enforce
  rules:
${names.map((each) => rules[each]!.replace("NAME", name)).join("\n")}
`;
}

const texts: Readonly<Record<string, string>> = {
  a: policy("a", "denies", "changes"),
  b: policy("b", "denies"),
  c: policy("c", "changes", "scales"),
};
const whole = policies(Object.values(texts).join(""));
const phases: readonly Phase[] = ["mutate", "validate"];

function named(snapshot: Snapshot, ...names: readonly string[]): Snapshot {
  return restrict(snapshot, ({ policy }) => names.includes(policy.name));
}

for (const names of [[], ["a"], ["b"], ["c"], ["a", "c"]]) {
  Deno.test(`a snapshot with the policies ${names.join(", ") || "of no name"} decides as they do alone`, async () => {
    const restricted = named(whole, ...names), alone = policies(names.map((name) => texts[name]).join(""));
    for (const phase of phases) {
      const [one, other] = await Promise.all(
        [restricted, alone].map((each) => evaluate(each, request(pod()), { phase, ports: ports() })),
      );
      assert.deepEqual(
        one!.results.map(({ policy }) => policy.key),
        other!.results.map(({ policy }) => policy.key),
      );
      assert.deepEqual(one!.patch, other!.patch);
      assert.equal(one!.allowed, other!.allowed);
    }
    const denied = await evaluate(restricted, request(pod()), { phase: "validate", ports: ports() });
    assert.equal(denied.allowed, !names.includes("a") && !names.includes("b"));
    assert.deepEqual(restricted.parents, alone.parents);
    assert.deepEqual(restricted.policies.map(({ policy }) => policy.key), names);
    assert.deepEqual(restricted.written.map(({ policy }) => policy.key), names);
    for (const name of Object.keys(texts)) {
      assert.equal(restricted.named(name).length, names.includes(name) ? 1 : 0);
    }
  });
}

Deno.test("a restricted snapshot is restricted further, and is the whole one when nothing is left out", () => {
  assert.equal(restrict(whole, () => true), whole);
  const two = named(whole, "a", "b");
  assert.deepEqual(named(two, "b", "c").policies.map(({ policy }) => policy.key), ["b"]);
});

Deno.test("restricting a snapshot adds no policy to an index: with thousands of policies requests would wait", () => {
  const snapshot = policies(Object.values(texts).join(""));
  Object.assign(snapshot.prepared, { ofPhase: () => assert.fail("a policy is added to an index") });
  const query = { kind: "Pod", operation: "CREATE", namespace: "" };
  const found = named(snapshot, "a").candidates("validate", query);
  assert.deepEqual(found.map(({ policy }) => policy.key), ["a"]);
  assert.ok(found.every((each) => snapshot.candidates("validate", query).includes(each)));
});
