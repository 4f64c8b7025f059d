/** The webhooks of namespaced policies are about their namespaces alone. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { asList, dig, field, textField } from "../../lib/json/mod.ts";
import { WebhookRoutes } from "../../lib/live/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { configurations, policy } from "./webhook_configurations.ts";

/** The names of the webhooks of validation. */
function namesOf(policies: string): string[] {
  return asList(field(configurations(policies).validate, "webhooks")).map((each) => textField(each, "name"));
}

Deno.test("webhooks: the conditions of a namespaced policy refuse nothing in other namespaces", () => {
  const condition = `{name: broken, expression: "object.data.missing == '1'"}`;
  const { validate } = configurations(policy({
    kind: "Policy",
    match: "match: {any: [{resources: {kinds: [ConfigMap]}}]}",
    spec: `webhookConfiguration: {matchConditions: [${condition}]}`,
  }));
  const [webhook] = asList(field(validate, "webhooks"));
  assert.equal(asList(field(webhook, "matchConditions")).length, 1);
  assert.deepEqual(asList(dig(webhook, "namespaceSelector", "matchExpressions")).at(-1), {
    key: "kubernetes.io/metadata.name",
    operator: "In",
    values: ["team"],
  });
});

Deno.test("webhooks: namespaced policies share webhooks when their conditions would make the configuration too large", () => {
  const match = "match: {any: [{resources: {kinds: [ConfigMap]}}]}";
  const conditions = (count: number, length: number) =>
    `webhookConfiguration: {matchConditions: [${
      Array.from({ length: count }, (_, at) =>
        `{name: c${at}, expression: "object.metadata.name != '${"a".repeat(length)}'"}`).join()
    }]}`;
  const ofCluster = policy({ name: "of-cluster", match, spec: conditions(1, 10) });
  const ofTenant = (name: string) => policy({ kind: "Policy", name, match, spec: conditions(60, 5_000) });
  assert.deepEqual(namesOf([ofCluster, ofTenant("a")].join("---")), [
    "validate.kyverno.svc-fail-finegrained-of-cluster",
    "validate.kyverno.svc-fail-finegrained-team-a",
  ]);
  const many = ["a", "b", "c", "d"].map(ofTenant);
  assert.deepEqual(namesOf([ofCluster, ...many].join("---")), [
    "validate.kyverno.svc-fail-conditional-namespaces",
    "validate.kyverno.svc-fail-finegrained-of-cluster",
  ]);
  const snapshot = compile(parseDocuments([ofCluster, ...many].join("---"), "p.yaml").documents, {});
  const routes = new WebhookRoutes(() => snapshot);
  const found = (path: string) => routes.find(path)?.snapshot.policies.map(({ policy }) => policy.key);
  const ofTenants = ["team/a", "team/b", "team/c", "team/d"];
  assert.deepEqual(found("/validate/fail/conditional/namespaces"), ofTenants);
  assert.deepEqual(found("/validate/fail/conditional"), ["of-cluster", ...ofTenants]);
  assert.deepEqual(found("/validate/ignore/conditional"), []);
  assert.ok(JSON.stringify(configurations([ofCluster, ...many].join("---")).validate).length < 10_000);
});

Deno.test("webhooks: the webhook of namespaced policies is called for their namespaces alone", () => {
  const text = (namespace: string) => `
apiVersion: policies.kyverno.io/v1
kind: NamespacedValidatingPolicy
metadata: {name: p, namespace: ${namespace}}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}]
  validations: [{expression: "true"}]
`;
  const [webhook] = asList(field(configurations(`${text("b")}---${text("a")}`).validate, "webhooks"));
  assert.deepEqual(asList(dig(webhook, "namespaceSelector", "matchExpressions")).at(-1), {
    key: "kubernetes.io/metadata.name",
    operator: "In",
    values: ["a", "b"],
  });
});

Deno.test("webhooks: a Policy adds nothing to the webhook of policies of the cluster in other namespaces", () => {
  const about = (kinds: string) => `match: {any: [{resources: {kinds: [${kinds}]}}]}`;
  const pods = policy({ name: "pods", match: about("Pod") });
  const ofTeam = (kinds: string) => policy({ kind: "Policy", name: "of-team", match: about(kinds) });
  const validating = (text: string) =>
    asList(field(configurations(text).validate, "webhooks")).map((each) => ({
      path: dig(each, "clientConfig", "service", "path"),
      name: field(each, "name"),
      namespaces: asList(dig(each, "namespaceSelector", "matchExpressions")).flatMap((expression) =>
        field(expression, "operator") === "In" ? asList(field(expression, "values")) : []
      ),
      resources: asList(field(each, "rules")).flatMap((rule) => asList(field(rule, "resources"))).sort(),
    }));
  const [alone] = validating(pods);
  assert.deepEqual(validating(`${pods}---${ofTeam("Pod")}`), [alone]);
  for (const kinds of ["ConfigMap", "Pod, ConfigMap"]) {
    assert.deepEqual(validating(`${pods}---${ofTeam(kinds)}`), [alone, {
      path: "/validate/fail/namespaces",
      name: "validate.kyverno.svc-fail-namespaces",
      namespaces: ["team"],
      resources: ["configmaps"],
    }]);
  }
  const [ofCluster, apart] = validating(`${pods}---${ofTeam('"*"')}`);
  assert.deepEqual(ofCluster, alone);
  assert.deepEqual([apart!.namespaces, apart!.resources], [["team"], ["*", "pods/ephemeralcontainers"]]);
});

Deno.test("webhooks: the path of policies of namespaces evaluates those without conditions", () => {
  const match = "match: {any: [{resources: {kinds: [Pod]}}]}";
  const conditions = "webhookConfiguration: {matchConditions: [{name: c, expression: 'true'}]}";
  const text = [
    policy({ name: "of-cluster", match }),
    policy({ kind: "Policy", name: "plain", match }),
    policy({ kind: "Policy", name: "ignoring", match, spec: "failurePolicy: Ignore" }),
    policy({ kind: "Policy", name: "conditional", match, spec: conditions }),
  ].join("---");
  const snapshot = compile(parseDocuments(text, "p.yaml").documents, {});
  const routes = new WebhookRoutes(() => snapshot);
  const found = (path: string) => routes.find(path)?.snapshot.policies.map(({ policy }) => policy.key);
  assert.deepEqual(found("/validate/fail/namespaces"), ["team/plain"]);
  assert.deepEqual(found("/validate/ignore/namespaces"), ["team/ignoring"]);
  assert.deepEqual(found("/validate/fail/conditional/namespaces"), ["team/conditional"]);
  assert.equal(found("/validate/fail"), undefined);
});

Deno.test("webhooks: the policies of a namespace add nothing to the webhooks of another one", () => {
  const inCel = (namespace: string, resource: string) => `
apiVersion: policies.kyverno.io/v1
kind: NamespacedValidatingPolicy
metadata: {name: p, namespace: ${namespace}}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [${resource}]}]
  validations: [{expression: "true"}]
`;
  const classic = (namespace: string, kind: string) =>
    policy({ kind: "Policy", match: `match: {any: [{resources: {kinds: [${kind}]}}]}` }).replace(
      "team",
      namespace,
    );
  const ofCluster = policy({ match: "match: {any: [{resources: {kinds: [Node]}}]}" });
  const webhooksOf = (...texts: string[]) =>
    asList(field(configurations(texts.join("---")).validate, "webhooks")).flatMap((each) =>
      asList(dig(each, "namespaceSelector", "matchExpressions")).filter((expression) =>
        field(expression, "operator") === "In"
      ).map((expression) => [
        asList(field(expression, "values")).join(),
        asList(field(each, "rules")).flatMap((rule) => asList(field(rule, "resources"))).join(),
      ])
    );
  const expected = [["a,c", "configmaps"], ["b", "secrets"]];
  assert.deepEqual(
    webhooksOf(inCel("a", "configmaps"), inCel("b", "secrets"), inCel("c", "configmaps")),
    expected,
  );
  const teams = [classic("a", "ConfigMap"), classic("b", "Secret"), classic("c", "ConfigMap")];
  assert.deepEqual(webhooksOf(...teams), expected);
  assert.deepEqual(webhooksOf(ofCluster, ...teams), expected);
});

const scoped: readonly (readonly [resources: string, more: string, rules: readonly string[]])[] = [
  ["pods", "", ["*/* pods Namespaced"]],
  ["nodes, clusterroles", "", ["*/* clusterroles,nodes Namespaced"]],
  ["namespaces", "", ["/v1 namespaces *"]],
  ["namespaces/status", "", ["/v1 namespaces/status *"]],
  ["'*'", "", ["*/* * Namespaced", "/v1 namespaces *"]],
  ["'*/*'", "", ["*/* */* Namespaced", "/v1 namespaces,namespaces/* *"]],
  ["'*/scale'", "", ["*/* */scale Namespaced", "/v1 namespaces/scale *"]],
  ["'*'", "scope: Namespaced", ["*/* * Namespaced"]],
  ["'*'", "scope: Cluster", ["/v1 namespaces *"]],
  ["nodes", "scope: Cluster", []],
];
for (const [resources, more, expected] of scoped) {
  Deno.test(`webhooks: a policy of a namespace about ${resources} ${more} gets no object of the whole cluster`, () => {
    const { validate } = configurations(`
apiVersion: policies.kyverno.io/v1
kind: NamespacedValidatingPolicy
metadata: {name: p, namespace: team}
spec:
  matchConditions: [{name: broken, expression: "object.data.missing == '1'"}]
  matchConstraints:
    resourceRules:
    - {apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: [${resources}], ${more}}
  validations: [{expression: "true"}]
`);
    const rules = asList(field(validate, "webhooks")).flatMap((each) => asList(field(each, "rules")));
    assert.deepEqual(
      rules.map((rule) => {
        const [groups, versions, names] = ["apiGroups", "apiVersions", "resources"].map((name) =>
          asList(field(rule, name)).join()
        );
        return `${groups}/${versions} ${names} ${textField(rule, "scope")}`;
      }).sort(),
      [...expected].sort(),
    );
  });
}

Deno.test("webhooks: a Policy whose wildcards match kinds of the whole cluster gets none of their objects", () => {
  const resources = (kinds: string) => {
    const match = `match: {any: [{resources: {kinds: [${kinds}]}}]}`;
    const { validate } = configurations(policy({ kind: "Policy", match }));
    return asList(field(validate, "webhooks")).flatMap((each) => asList(field(each, "rules"))).flatMap((
      rule,
    ) => asList(field(rule, "resources")));
  };
  for (const kinds of ['"Nod?"', '"*/Node"', '"?amespace"', '"v?/Namespace"']) {
    assert.deepEqual(resources(kinds), [], kinds);
  }
  assert.deepEqual(resources('"N*", "Conf*"'), ["configmaps"]);
});

Deno.test("webhooks: policies of up to 1,000 namespaces have webhooks for these alone", () => {
  const namespacesIn = (count: number) => {
    const ofTeam = policy({ kind: "Policy", match: "match: {any: [{resources: {kinds: [Pod]}}]}" });
    const policies = Array.from({ length: count }, (_, at) => ofTeam.replace("team", `team-${at}`));
    const [webhook] = asList(field(configurations(policies.join("---")).validate, "webhooks"));
    const expressions = asList(dig(webhook, "namespaceSelector", "matchExpressions"));
    return expressions.find((each) => field(each, "operator") === "In");
  };
  assert.equal(asList(field(namespacesIn(1_000), "values")).length, 1_000);
  assert.equal(namespacesIn(1_001), undefined);
});

const list = (length: number, text: string): string =>
  Array.from({ length }, (_, at) => text.replace("N", String(at))).join();

const wide: readonly (readonly [what: string, policies: string])[] = [
  [
    "3,000 groups and 3,000 resources",
    `
apiVersion: policies.kyverno.io/v1
kind: NamespacedValidatingPolicy
metadata: {name: wide, namespace: team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [${list(3_000, "gN.x")}], apiVersions: [v1], operations: [CREATE], resources: [${
      list(3_000, "rN")
    }]}
  validations: [{expression: "true"}]
`,
  ],
  [
    "thousands of kinds with wildcards",
    policy({ kind: "Policy", match: `match: {any: [{resources: {kinds: [${list(5_000, '"*N"')}]}}]}` }),
  ],
  [
    "200 resources in each of 60 policies",
    Array.from({ length: 60 }, (_, at) => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p${at}}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [g${at}.x], apiVersions: [v1], operations: [CREATE], resources: [${list(290, "rN")}]}
  validations: [{expression: "true"}]
`).join("---"),
  ],
];
for (const [what, policies] of wide) {
  Deno.test(`webhooks: policies that name ${what} are about all resources`, () => {
    const { validate } = configurations(policies);
    const rules = asList(field(validate, "webhooks")).flatMap((each) => asList(field(each, "rules")));
    assert.ok(rules.some((rule) => JSON.stringify(field(rule, "resources")) === '["*/*"]'));
    assert.ok(rules.length < 500, `${rules.length} rules`);
  });
}

Deno.test("webhooks: the timeout of a Policy lengthens no call for policies of the cluster or of other namespaces", () => {
  const about = (kind: string) => `match: {any: [{resources: {kinds: [${kind}]}}]}`;
  const ofCluster = (seconds: number) =>
    policy({ match: about("Pod"), spec: `webhookConfiguration: {timeoutSeconds: ${seconds}}` });
  const ofTeam = (kind: string, team: string, seconds: number) =>
    policy({ kind: "Policy", match: about(kind), spec: `webhookConfiguration: {timeoutSeconds: ${seconds}}` })
      .replace("team", team);
  const timeouts = (...texts: string[]) =>
    asList(field(configurations(texts.join("---")).validate, "webhooks")).map((each) =>
      field(each, "timeoutSeconds")
    );
  assert.deepEqual(timeouts(ofCluster(12), ofTeam("Pod", "a", 30)), [12]);
  assert.deepEqual(timeouts(ofCluster(5), ofTeam("Pod", "a", 30)), [10]);
  assert.deepEqual(timeouts(ofCluster(12), ofTeam("ConfigMap", "a", 30)), [12, 30]);
  assert.deepEqual(timeouts(ofTeam("Pod", "a", 30)), [30]);
  // Namespaces whose policies want other times have webhooks of their own.
  assert.deepEqual(timeouts(ofTeam("Pod", "a", 30), ofTeam("Pod", "b", 15), ofTeam("Pod", "c", 30)), [
    30,
    15,
  ]);
  assert.deepEqual(timeouts(ofCluster(10), ofTeam("Secret", "a", 30), ofTeam("Secret", "b", 3)), [
    10,
    30,
    10,
  ]);
});
