/** Policies are evaluated in order, each on what it is about. */
import assert from "node:assert/strict";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import { planJsonPatch } from "../../lib/patch/mod.ts";
import { pod, policies, request } from "./ports.ts";
import { decideNow, noHostPid, policy, results } from "./decide_now.ts";

Deno.test("policies are evaluated in the order of their names, rules in the order of the file", () => {
  const second = noHostPid.replace("no-host-pid", "again");
  const snapshot = policies(policy("b", `${noHostPid}\n${second}`) + policy("a", noHostPid));
  assert.deepEqual(results(decideNow(snapshot, request(pod()))), [
    "a/no-host-pid pass",
    "b/no-host-pid pass",
    "b/again pass",
  ]);
});

Deno.test("applyRules One ends a policy after the first rule that passes or fails, not after a skip", () => {
  const skipped = `  - name: skipped
    match: {any: [{resources: {kinds: [Pod]}}]}
    preconditions: {all: [{key: a, operator: Equals, value: b}]}
    validate: {pattern: {}}`;
  const rules = `${skipped}\n${noHostPid}\n${noHostPid.replace("no-host-pid", "never")}`;
  assert.deepEqual(results(decideNow(policies(policy("p", rules, "applyRules: One")), request(pod()))), [
    "p/skipped skip",
    "p/no-host-pid pass",
  ]);
});

Deno.test("an unresolved variable in conditions is empty text in the classic dialect and an error in the current one", () => {
  const rule = `  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    preconditions: [{key: "{{ request.object.metadata.labels.team }}", operator: NotEquals, value: ""}]
    validate: {pattern: {}}`;
  const result = (dialect: "classic" | "current") =>
    results(decideNow(policies(policy("p", rule), { dialect }), request(pod())));
  assert.deepEqual(result("classic"), ["p/r skip"]);
  assert.deepEqual(result("current"), ["p/r error"]);
});

Deno.test("a rule about the scale of a custom resource denies it", () => {
  const deny = (kind: string) =>
    policies(policy(
      "p",
      `  - name: r
    match: {any: [{resources: {kinds: ["${kind}"]}}]}
    validate: {message: refused, deny: {}}`,
    ));
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "w", namespace: "default" },
  };
  const about = request(scale, { operation: "UPDATE", subresource: "scale", oldObject: scale });
  const resource = { group: "example.com", version: "v1", resource: "policies" };
  const scaling = { ...about, variable: { ...about.variable, resource, subResource: "scale" } };
  const allowed: readonly (readonly [kind: string, allowed: boolean])[] = [
    ["Policy/scale", false],
    ["example.com/v1/Policy/scale", false],
    ["Policy/*", false],
    ["*/scale", false],
    ["Policy", true],
    ["Policy/status", true],
    ["other.com/v1/Policy/scale", true],
    ["Widget/scale", true],
  ];
  for (const [kind, expected] of allowed) {
    assert.equal(decideNow(deny(kind), scaling).allowed, expected, kind);
  }
});

Deno.test("the old object of an update is evaluated with context entries of its own", () => {
  const rule = `  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: isBad, variable: {jmesPath: "request.object.spec.hostPID || \`false\`"}}]
    validate: {deny: {conditions: {all: [{key: "{{ isBad }}", operator: Equals, value: true}]}}}`;
  const update = (old: boolean): boolean =>
    decideNow(
      policies(policy("p", rule)),
      request(pod({ hostPID: true }), { operation: "UPDATE", oldObject: pod({ hostPID: old }) }),
    ).allowed;
  assert.equal(update(true), true);
  assert.equal(update(false), false);
});

Deno.test("a pattern has no result for a DELETE, deny conditions have", () => {
  const deny = `  - name: keep
    match: {any: [{resources: {kinds: [Pod], operations: [DELETE]}}]}
    validate: {message: "{{ request.object.metadata.name }} stays", deny: {}}`;
  const snapshot = policies(policy("p", `${noHostPid}\n${deny}`));
  const decision = decideNow(snapshot, request(pod({ hostPID: true }), { operation: "DELETE" }));
  assert.deepEqual(results(decision), ["p/keep fail"]);
  assert.equal(decision.results[0]!.rules[0]!.message, "web stays");
});

Deno.test("a Policy applies only in its namespace", () => {
  const text = policy("p", noHostPid).replace("ClusterPolicy", "Policy").replace(
    "{name: p}",
    "{name: p, namespace: team}",
  );
  const snapshot = policies(text);
  assert.deepEqual(results(decideNow(snapshot, request(pod({ hostPID: true })))), []);
  const inTeam = decideNow(snapshot, request(pod({ hostPID: true }, { namespace: "team" })));
  assert.deepEqual(results(inTeam), ["team/p/no-host-pid fail"]);
});

Deno.test("a Policy says nothing about its Namespace, a policy in CEL does", () => {
  const classic = policy(
    "p",
    noHostPid.replace("[Pod]", '["*"]').replace(/validate:.*/, "validate: {deny: {}}"),
  )
    .replace("ClusterPolicy", "Policy").replace("{name: p}", "{name: p, namespace: team}");
  const inCel = `---
apiVersion: policies.kyverno.io/v1
kind: NamespacedValidatingPolicy
metadata: {name: c, namespace: team}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [namespaces], operations: [DELETE]}]
  validations: [{expression: "false"}]
`;
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
  const deletion = request(namespace, { operation: "DELETE", namespace: "team" });
  assert.deepEqual(results(decideNow(policies(classic + inCel), deletion)), ["team/c/ fail"]);
});

Deno.test("a policy of a namespace changes objects in it, and never its Namespace", () => {
  const snapshot = policies(`
apiVersion: policies.kyverno.io/v1
kind: NamespacedMutatingPolicy
metadata: {name: m, namespace: team}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: ["*", "*/*"], operations: ["*"]}]
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[JSONPatch{op: "add", path: "/metadata/labels", value: {"unsafe": "yes"}}]'}
`);
  const labelsAfter = (object: JsonObject, subresource = "") => {
    const change = { operation: "UPDATE", namespace: "team", oldObject: object, subresource } as const;
    const decision = decideNow(snapshot, request(object, change), { phase: "mutate" });
    return dig(decision.object, "metadata", "labels");
  };
  assert.deepEqual(labelsAfter(pod({}, { namespace: "team" })), { unsafe: "yes" });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
  for (const part of ["", "status", "finalize"]) assert.equal(labelsAfter(namespace, part), undefined);
});

Deno.test("an exception skips the rules that it names, for objects that it matches", () => {
  const exception = `---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: ops}
spec:
  match: {any: [{resources: {kinds: [Pod], names: [web]}}]}
  exceptions: [{policyName: p, ruleNames: [no-host-*]}]
`;
  const snapshot = policies(policy("p", noHostPid) + exception);
  const excepted = decideNow(snapshot, request(pod({ hostPID: true })));
  assert.deepEqual(results(excepted), ["p/no-host-pid skip"]);
  assert.equal(excepted.results[0]!.rules[0]!.message, "rule is skipped due to policy exceptionsops/e");
  assert.equal(decideNow(snapshot, request(pod({ hostPID: true }, { name: "db" }))).allowed, false);
});

Deno.test("an exception whose conditions cannot be evaluated exempts nothing, in either dialect", () => {
  const exception = `---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: ops}
spec:
  match: {any: [{resources: {kinds: [Pod]}}]}
  conditions: {all: [{key: "{{ request.object.metadata.labels.tier }}", operator: NotEquals, value: prod}]}
  exceptions: [{policyName: p, ruleNames: ["*"]}]
`;
  for (const dialect of ["classic", "current"] as const) {
    const snapshot = policies(policy("p", noHostPid) + exception, { dialect });
    assert.equal(decideNow(snapshot, request(pod({ hostPID: true }))).allowed, false);
    const labelled = request(pod({ hostPID: true }, { labels: { tier: "dev" } }));
    assert.equal(decideNow(snapshot, labelled).allowed, true);
  }
});

Deno.test("rules about Pods apply to their controllers too", () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", namespace: "default" },
    spec: { template: { spec: { hostPID: true } } },
  };
  const decision = decideNow(policies(policy("p", noHostPid)), request(deployment));
  assert.deepEqual(results(decision), ["p/autogen-no-host-pid fail"]);
  assert.match(decision.results[0]!.rules[0]!.message, /failed at path \/spec\/template\/spec\/hostPID\//);
});

Deno.test("autogen rules replace written rules with their names", () => {
  const written = (kind: string): string =>
    `  - name: autogen-no-host-pid
    match: {any: [{resources: {kinds: [${kind}]}}]}
    validate: {message: written, deny: {}}
`;
  const spec = { template: { spec: { hostPID: true } } };
  const messages = (rules: string, kind: string, apiVersion: string): string[] =>
    decideNow(policies(policy("p", rules)), request({ apiVersion, kind, metadata: { name: "o" }, spec }))
      .results.flatMap(({ rules }) =>
        rules.map(({ message }) => message.replace(/.* failed/, "derived failed"))
      );
  assert.deepEqual(messages(`${noHostPid}\n${written("Deployment")}`, "Deployment", "apps/v1"), [
    "derived failed at path /spec/template/spec/hostPID/",
  ]);
  assert.deepEqual(messages(`${noHostPid}\n${written("Service")}`, "Service", "v1"), ["written"]);
  assert.deepEqual(messages(written("Deployment"), "Deployment", "apps/v1"), ["written"]);
});

const label = (name: string, value: string, extra = ""): string =>
  `  - name: ${name}
    match: {any: [{resources: {kinds: [Pod]}}]}
    ${extra}
    mutate: {patchStrategicMerge: {metadata: {labels: {${name}: "${value}"}}}}`;

Deno.test("each mutation sees the result of the former, and one patch has them all", () => {
  const second = label(
    "b",
    "{{ request.object.metadata.labels.a }}!",
    'preconditions: {all: [{key: "{{ request.object.metadata.labels.a }}", operator: Equals, value: x}]}',
  );
  const snapshot = policies(policy("one", label("a", "x")) + policy("two", second));
  const original = pod();
  const decision = decideNow(snapshot, request(original), { phase: "mutate" });
  assert.deepEqual(dig(decision.object, "metadata", "labels"), { a: "x", b: "x!" });
  assert.deepEqual(planJsonPatch(decision.patch).apply(original), decision.object);
  assert.deepEqual(
    dig(original, "metadata"),
    { name: "web", namespace: "default" },
    "the request's object stays as it was",
  );
});

Deno.test("a failed mutation drops its policy's patches under Ignore, and denies under Fail", () => {
  const failing = `  - name: bad
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchesJson6902: '[{"op": "replace", "path": "/spec/nowhere/x", "value": 1}]'}`;
  const text = (failurePolicy: string) =>
    policy("a", `${label("lost", "x")}\n${failing}`, `failurePolicy: ${failurePolicy}`) +
    policy("b", label("kept", "x"));
  const ignored = decideNow(policies(text("Ignore")), request(pod()), { phase: "mutate" });
  assert.equal(ignored.allowed, true);
  assert.deepEqual(dig(ignored.object, "metadata", "labels"), { kept: "x" });
  const denied = decideNow(policies(text("Fail")), request(pod()), { phase: "mutate" });
  assert.equal(denied.allowed, false);
  assert.deepEqual(denied.patch, []);
});
