/** Failure actions and failurePolicies decide which results deny a request. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, request } from "./ports.ts";
import { decideNow, noHostPid, policy, results } from "./decide_now.ts";

Deno.test("a violation denies the request under Enforce and not under Audit", () => {
  const bad = request(pod({ hostPID: true }));
  assert.equal(decideNow(policies(policy("p", noHostPid)), bad).allowed, false);
  const audited = decideNow(policies(policy("p", noHostPid, "validationFailureAction: Audit")), bad);
  assert.equal(audited.allowed, true);
  assert.deepEqual(results(audited), ["p/no-host-pid fail"]);
});

Deno.test("admission leaves audit rules for after the answer", () => {
  const snapshot = policies(policy("p", noHostPid, "validationFailureAction: Audit"));
  const bad = request(pod({ hostPID: true }));
  assert.deepEqual(results(decideNow(snapshot, bad, { rules: "admission" })), []);
  assert.deepEqual(results(decideNow(snapshot, bad, { rules: "audit" })), ["p/no-host-pid fail"]);
});

const failurePolicies: [policy: string, broken: string, allowed: boolean][] = [
  ["Fail", "validate: {deny: {conditions: {all: [{key: a, operator: Equlas, value: b}]}}}", false],
  ["Ignore", "validate: {deny: {conditions: {all: [{key: a, operator: Equlas, value: b}]}}}", true],
  ["Fail", "validate: {pattren: {}}", false],
  ["Ignore", "validate: {pattren: {}}", true],
  ["Fail", 'validate: {foreach: [{list: "a[", pattern: {}}]}', false],
  ["Ignore", 'validate: {foreach: [{list: "a[", pattern: {}}]}', true],
];
for (const [failurePolicy, broken, allowed] of failurePolicies) {
  Deno.test(`a broken rule under failurePolicy ${failurePolicy} ${allowed ? "admits" : "denies"} what it matches: ${broken}`, () => {
    const rule = `  - name: broken\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    ${broken}`;
    const spec = `validationFailureAction: Enforce\n  failurePolicy: ${failurePolicy}`;
    const snapshot = policies(
      policy("bad", rule, spec) + policy("good", noHostPid, "validationFailureAction: Enforce"),
    );
    assert.equal(decideNow(snapshot, request(pod())).allowed, allowed);
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s", namespace: "default" } };
    assert.equal(
      decideNow(snapshot, request(service)).allowed,
      true,
      "what it does not match is not its business",
    );
    assert.equal(
      decideNow(snapshot, request(pod({ hostPID: true }))).allowed,
      false,
      "the other policy serves",
    );
  });
}

Deno.test("one failurePolicy Fail makes the errors of all policies of the request block", () => {
  const erring = `  - name: e
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {deny: {conditions: {all: [{key: "{{ request.object.spec.x.y }}", operator: Equals, value: b}]}}}`;
  const ignore = policy("a", erring, "validationFailureAction: Enforce\n  failurePolicy: Ignore");
  const about = request(pod());
  assert.equal(decideNow(policies(ignore, { dialect: "current" }), about).allowed, true);
  const both = policies(ignore + policy("b", noHostPid), { dialect: "current" });
  assert.equal(decideNow(both, about).allowed, false);
  assert.equal(decideNow(both, about, { failurePolicy: "Ignore" }).allowed, true);
});

Deno.test("a rule's failure action overrides the policy's, and overrides for namespaces override both", () => {
  const rule = noHostPid.replace("validate: {", "validate: {failureAction: Audit, ");
  const bad = (namespace: string) => request(pod({ hostPID: true }, { namespace }));
  assert.equal(decideNow(policies(policy("p", rule)), bad("default")).allowed, true);
  const overridden = policies(
    policy("p", noHostPid, "validationFailureActionOverrides: [{action: Enforce, namespaces: [prod*]}]"),
  );
  assert.equal(decideNow(overridden, bad("default")).allowed, true);
  assert.equal(decideNow(overridden, bad("prod-1")).allowed, false);
});

Deno.test("an update of an object that violated the rule before is admitted, unless the rule forbids it or has preconditions", () => {
  const about = request(pod({ hostPID: true }), { operation: "UPDATE", oldObject: pod({ hostPID: true }) });
  const of = (rule: string) => decideNow(policies(policy("p", rule)), about).allowed;
  assert.equal(of(noHostPid), true);
  assert.equal(of(noHostPid.replace("validate: {", "validate: {allowExistingViolations: false, ")), false);
  assert.equal(of(`${noHostPid}\n    preconditions: {all: [{key: a, operator: Equals, value: a}]}`), false);
  const fresh = request(pod({ hostPID: true }), { operation: "UPDATE", oldObject: pod() });
  assert.equal(decideNow(policies(policy("p", noHostPid)), fresh).allowed, false);
});

Deno.test("an exception in a rule is an error of that rule alone, and its policy's failurePolicy decides", () => {
  const given = (_policy: string, rule: string): JsonObject => {
    if (rule === "bad") throw new RangeError("Maximum call stack size exceeded");
    return {};
  };
  for (const failurePolicy of ["Fail", "Ignore"]) {
    const spec = `validationFailureAction: Enforce\n  failurePolicy: ${failurePolicy}`;
    const snapshot = policies(policy("p", `${noHostPid.replace("no-host-pid", "bad")}\n${noHostPid}`, spec));
    const decision = decideNow(snapshot, request(pod()), { given });
    assert.deepEqual(results(decision), ["p/bad error", "p/no-host-pid pass"]);
    assert.equal(
      decision.results[0]!.rules[0]!.message,
      "internal error: Maximum call stack size exceeded",
    );
    assert.equal(decision.allowed, failurePolicy === "Ignore");
  }
});
