import assert from "node:assert/strict";
import { conditionCompilations } from "../../lib/condition/mod.ts";
import {
  type Decision,
  evaluate,
  type EvaluateOptions,
  type PolicyRequest,
  type Snapshot,
} from "../../lib/engine/mod.ts";
import { compilations } from "../../lib/jmespath/mod.ts";
import { asObject, dig, type JsonObject } from "../../lib/json/mod.ts";
import { planJsonPatch } from "../../lib/patch/mod.ts";
import { patternCompilations } from "../../lib/pattern/mod.ts";
import type { Ports } from "../../lib/ports.ts";
import { templateCompilations } from "../../lib/template/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

function decideNow(
  snapshot: Snapshot,
  about: PolicyRequest,
  options: Partial<EvaluateOptions> & { readonly ports?: Ports } = {},
): Decision {
  const decision = evaluate(snapshot, about, { phase: "validate", ports: ports(), ...options });
  assert.ok(!(decision instanceof Promise), "a request without external values is decided at once");
  return decision;
}

function results(decision: Decision): string[] {
  return decision.results.flatMap(({ policy, rules }) =>
    rules.map((rule) => `${policy.key}/${rule.rule} ${rule.result}`)
  );
}

function policy(name: string, rules: string, spec = "validationFailureAction: Enforce"): string {
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  ${spec}
  rules:
${rules}
`;
}

const noHostPid = `  - name: no-host-pid
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: no host PID, pattern: {spec: {=(hostPID): false}}}`;

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

Deno.test("the old object of an update is judged by context entries of its own", () => {
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

Deno.test("evaluation loads external values in parallel, each once", async () => {
  const rule = (name: string) =>
    `  - name: ${name}
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: cm, configMap: {name: teams, namespace: default}}]
    validate:
      message: "not {{ cm.data.name }}"
      deny: {conditions: {all: [{key: "{{ request.object.metadata.name }}", operator: NotEquals, value: "{{ cm.data.name }}"}]}}`;
  const fake = ports({ "/api/v1/namespaces/default/configmaps/teams": { data: { name: "db" } } });
  const snapshot = policies(policy("a", rule("r")) + policy("b", rule("r")));
  const pending = evaluate(snapshot, request(pod()), { phase: "validate", ports: fake });
  assert.ok(pending instanceof Promise);
  const decision = await pending;
  assert.deepEqual(decision.results.flatMap(({ rules }) => rules.map(({ message }) => message)), [
    "not db",
    "not db",
  ]);
  assert.equal(fake.calls.length, 1);
});

Deno.test("namespace labels are loaded only for policies that read them; without an answer failurePolicy decides", async () => {
  const selecting = noHostPid.replace(
    "kinds: [Pod]",
    "kinds: [Pod], namespaceSelector: {matchLabels: {env: prod}}",
  );
  const fake = ports({ "/api/v1/namespaces/default": { metadata: { labels: { env: "prod" } } } });
  const snapshot = policies(policy("p", selecting));
  const decision = await evaluate(snapshot, request(pod({ hostPID: true })), {
    phase: "validate",
    ports: fake,
  });
  assert.equal(decision.allowed, false);
  const down = ports();
  const refusing = {
    ...down,
    cluster: {
      ...down.cluster,
      call: () => Promise.resolve({ ok: false, status: 500, message: "down" } as const),
    },
  };
  const blind = await evaluate(snapshot, request(pod()), { phase: "validate", ports: refusing });
  assert.equal(blind.allowed, false);
  assert.match(
    blind.results[0]!.rules[0]!.message,
    /failed to create policy context: failed to read namespace default: down/,
  );
});

Deno.test("a request parses nothing and builds no regular expression", () => {
  const rules = `${noHostPid}
  - name: deny
    match: {any: [{resources: {kinds: [Pod], names: ["w*"], selector: {matchLabels: {"a*": "b*"}}}}]}
    preconditions: {all: [{key: "{{ request.operation || 'BACKGROUND' }}", operator: AnyIn, value: [CREATE]}]}
    validate:
      message: "{{ request.object.metadata.name }} is wrong"
      deny: {conditions: {any: [{key: "{{ regex_match('^w[a-z]+$', request.object.metadata.name) }}", operator: Equals, value: true}]}}
  - name: loop
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {foreach: [{list: "request.object.spec.containers", pattern: {image: "!*:latest | ?*:v{{ elementIndex }}"}}]}`;
  const snapshot = policies(policy("p", rules));
  const about = request(
    pod({ containers: [{ name: "a", image: "x:v0" }, { name: "b", image: "y" }] }, { labels: { ab: "bc" } }),
  );
  const count = () => JSON.stringify([compilations(), templateCompilations(), conditionCompilations()]);
  const before = count();
  const patterns = patternCompilations();
  decideNow(snapshot, about);
  assert.equal(count(), before);
  // A text that a variable puts into a pattern is read as one, and remembered.
  const grown = patternCompilations() - patterns;
  decideNow(snapshot, about);
  assert.equal(patternCompilations() - patterns, grown);
  assert.equal(asObject(JSON.parse(before)), undefined);
});

Deno.test("a request that matches no policy costs one look-up in the index", () => {
  const snapshot = policies(policy("p", noHostPid));
  const service: JsonObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", namespace: "default" },
  };
  const decision = decideNow(snapshot, request(service));
  assert.deepEqual([decision.allowed, decision.results, decision.patch], [true, [], []]);
});

Deno.test("rules that are not reached in the request's time are errors, and a long loop ends", () => {
  let now = 0;
  const slow = { ...ports(), clock: { now: () => (now += 10) } };
  const loop = `  - name: loop
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {foreach: [{list: "request.object.spec.containers", deny: {conditions: {all: [{key: a, operator: Equals, value: b}]}}}]}`;
  const snapshot = policies(policy("p", `${loop}\n${noHostPid}`));
  const containers = Array.from({ length: 10_000 }, (_, index) => ({ name: `c${index}` }));
  const decision = decideNow(snapshot, request(pod({ containers })), { ports: slow, budget: 100 });
  const messages = decision.results[0]!.rules.map(({ message }) => message);
  assert.match(messages[0]!, /the request's deadline passed inside foreach/);
  assert.equal(messages[1], "the request's deadline passed before this rule");
  assert.equal(decision.allowed, false);
});

for (const jump of [3_600_000, -3_600_000]) {
  Deno.test(`a system clock that is set by ${jump} ms does not change how long a request may take`, () => {
    let reads = 0, elapsed = 0;
    const clock = { now: () => 10_000_000 + jump * reads++, elapsed: () => elapsed };
    const second = noHostPid.replace("no-host-pid", "second");
    const set = { ...ports(), clock }, snapshot = policies(policy("p", `${noHostPid}\n${second}`));
    const decide = () => decideNow(snapshot, request(pod()), { ports: set, budget: 100 });
    assert.deepEqual([decide().allowed, decide().allowed], [true, true]);
    clock.elapsed = () => elapsed += 60;
    assert.equal(decide().allowed, false, "time that passes ends it");
  });
}

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

const rolesReaders: [expression: string, needsRoles: boolean][] = [
  ["request.roles", true],
  ["request.clusterRoles[0]", true],
  ["request.[roles, namespace]", true],
  ["request.{r: roles}", true],
  ["request.*", true],
  ["to_string(request)", true],
  ["request", true],
  ["request.keys(@)", true],
  ["request.object.spec.roles", false],
  ["request.userInfo.groups", false],
];
for (const [expression, needsRoles] of rolesReaders) {
  Deno.test(`{{ ${expression} }} ${needsRoles ? "reads" : "does not read"} the requester's roles from the cluster`, () => {
    const rule = `  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: "no request is denied", deny: {conditions: {any: [{key: "{{ ${expression} }}", operator: Equals, value: a}]}}}`;
    assert.equal(policies(policy("p", rule)).policies[0]!.rules[0]!.needsRoles, needsRoles);
  });
}
