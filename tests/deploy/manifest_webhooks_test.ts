/** The webhook configurations of the manifests. */
import assert from "node:assert/strict";
import { asList, asString, dig, field } from "../../lib/json/mod.ts";
import { manifestsOf, rulesOf, webhooksOf } from "./manifests.ts";
import { celPolicy, deny, mutate, pattern, policy, type Rule } from "./manifest_policies.ts";

Deno.test("each failurePolicy with policies has one webhook, others have none", async () => {
  const { objects } = await manifestsOf([
    policy("fails", [{ body: pattern }]),
    policy("ignores", [{ body: mutate }], "failurePolicy: Ignore"),
    policy("in-background", [{ body: deny }], "admission: false"),
  ]);
  assert.deepEqual([...webhooksOf(objects, "Validating").keys()], ["/validate/fail"]);
  assert.deepEqual([...webhooksOf(objects, "Mutating").keys()], ["/mutate/ignore"]);
  const [fail] = webhooksOf(objects, "Validating").values(),
    [ignore] = webhooksOf(objects, "Mutating").values();
  assert.equal(fail?.["failurePolicy"], "Fail");
  assert.equal(ignore?.["failurePolicy"], "Ignore");
  assert.equal(ignore?.["reinvocationPolicy"], "IfNeeded");
});

Deno.test("a policy with match conditions gets a separate webhook with them", async () => {
  const conditions =
    "webhookConfiguration: {matchConditions: [{name: not-mine, expression: 'request.name != \"a\"'}]}";
  const { objects } = await manifestsOf([
    policy("all", [{ body: pattern }]),
    policy("some", [{ match: "kinds: [Service]", body: pattern }], conditions),
  ]);
  const webhooks = webhooksOf(objects, "Validating");
  assert.deepEqual([...webhooks.keys()], ["/validate/fail", "/validate/fail/finegrained/some"]);
  const webhook = webhooks.get("/validate/fail/finegrained/some")!;
  assert.equal(webhook["name"], "validate.postern.svc-fail-finegrained-some");
  assert.deepEqual(asList(webhook["matchConditions"]).at(-1), {
    name: "not-mine",
    expression: 'request.name != "a"',
  });
  assert.deepEqual(rulesOf(webhook), ["CREATE,UPDATE */* services *"]);
});

const named = (names: readonly string[], expression = "true"): string =>
  `webhookConfiguration: {matchConditions: ${JSON.stringify(names.map((name) => ({ name, expression })))}}`;

const refused: readonly [what: string, name: string, conditions: string, path: string][] = [
  ["two conditions of one name", "p", named(["a", "a"]), "/validate/fail/finegrained/p"],
  ["a name of Postern's", "p", named(["postern-not-by-nodes"]), "/validate/fail/finegrained/p"],
  [
    "more than 64 conditions",
    "p",
    named(Array.from({ length: 65 }, (_, at) => `c${at}`)),
    "/validate/fail/finegrained/p",
  ],
  ["a name with a space", "a b", named(["a"]), "/validate"],
  ["a name in upper case", "P", named(["a"]), "/validate"],
  ["a long name", "p".repeat(253), named(["a"]), "/validate"],
];
for (const [what, name, conditions, path] of refused) {
  Deno.test(`a policy that the API server would not take in a webhook has one all the same: ${what}`, async () => {
    const { objects } = await manifestsOf([policy(JSON.stringify(name), [{ body: pattern }], conditions)]);
    const webhooks = webhooksOf(objects, "Validating");
    assert.deepEqual([...webhooks.keys()], [path]);
    const added = asList(webhooks.get(path)!["matchConditions"]).map((each) => field(each, "name"));
    assert.deepEqual(added, ["postern-not-by-nodes", "postern-not-by-itself"]);
    assert.ok((asString(webhooks.get(path)!["name"]) ?? "").length < 253);
  });
}

Deno.test("the conditions of a Policy refuse nothing in other namespaces", async () => {
  const conditions =
    "webhookConfiguration: {matchConditions: [{name: fails, expression: 'object.spec.nowhere == 1'}]}";
  const { objects } = await manifestsOf([
    policy("p", [{ body: pattern }], conditions)
      .replace("kind: ClusterPolicy", "kind: Policy").replace("metadata: {", "metadata: {namespace: team, "),
  ]);
  const webhook = webhooksOf(objects, "Validating").get("/validate/fail/finegrained/team/p")!;
  assert.deepEqual(asList(dig(webhook, "namespaceSelector", "matchExpressions")).at(-1), {
    key: "kubernetes.io/metadata.name",
    operator: "In",
    values: ["team"],
  });
});

Deno.test("no webhook can lock a cluster", async () => {
  const all = [{ match: 'kinds: ["*"]', body: deny }, { match: 'kinds: ["*"]', body: mutate }];
  const { objects } = await manifestsOf(
    [policy("all", all, "webhookTimeoutSeconds: 60")],
    "--namespace",
    "gate",
  );
  const webhooks = [
    ...webhooksOf(objects, "Validating").values(),
    ...webhooksOf(objects, "Mutating").values(),
  ];
  assert.equal(webhooks.length, 2);
  for (const webhook of webhooks) {
    const [selection] = asList(dig(webhook, "namespaceSelector", "matchExpressions"));
    assert.deepEqual(selection, {
      key: "kubernetes.io/metadata.name",
      operator: "NotIn",
      values: ["gate", "kube-node-lease", "kube-public", "kube-system"],
    });
    assert.ok(Number(webhook["timeoutSeconds"]) <= 30);
    assert.equal(webhook["sideEffects"], "NoneOnDryRun");
    assert.equal(webhook["matchPolicy"], "Equivalent");
    const conditions = asList(webhook["matchConditions"]).map((each) => asString(field(each, "expression")));
    assert.ok(
      conditions.includes(
        `!(request.userInfo.username in ["system:apiserver","system:serviceaccount:gate:postern"])`,
      ),
    );
    assert.ok(conditions.some((each) => each?.includes('"/events"')), "events are not asked about");
  }
});

const rules: readonly [what: string, rules: readonly Rule[], expected: readonly string[]][] = [
  ["a pattern for Pods", [{ body: pattern }], [
    "CREATE,UPDATE /v1 pods/ephemeralcontainers Namespaced",
    "CREATE,UPDATE */* pods *",
  ]],
  ["deny, which also applies to deletions", [{ match: "kinds: [Service]", body: deny }], [
    "CREATE,DELETE,UPDATE */* services *",
  ]],
  ["the operations in match", [{ match: "kinds: [Service], operations: [DELETE]", body: deny }], [
    "DELETE */* services *",
  ]],
  ["two rules about one resource", [{ match: "kinds: [Service]", body: pattern }, {
    match: "kinds: [Service], operations: [DELETE]",
    body: deny,
  }], [
    "CREATE,DELETE,UPDATE */* services *",
  ]],
  ["a subresource that is connected to", [{ match: "kinds: [Pod/exec]", body: deny }], [
    "CONNECT,CREATE,DELETE,UPDATE /v1 pods/exec Namespaced",
  ]],
  ["a group and version", [{ match: "kinds: [apps/v1/Deployment, batch/v1/CronJob]", body: pattern }], [
    "CREATE,UPDATE apps/v1 deployments Namespaced",
    "CREATE,UPDATE batch/v1 cronjobs Namespaced",
  ]],
  ["a cluster-scoped kind", [{ match: "kinds: [Namespace, ClusterRole]", body: pattern }], [
    "CREATE,UPDATE */* clusterroles,namespaces *",
  ]],
  ["a pattern for a subresource that is connected to", [{ match: "kinds: [Pod/exec]", body: pattern }], [
    "CONNECT,CREATE,UPDATE /v1 pods/exec Namespaced",
  ]],
  ["a wildcard that selects a subresource that is connected to", [
    { match: 'kinds: ["Service/pro*"]', body: deny },
  ], ["CONNECT,CREATE,DELETE,UPDATE /v1 services/proxy Namespaced"]],
  ["wildcards in kinds, which may select custom ones", [{ match: 'kinds: ["*Set"]', body: pattern }], [
    "CREATE,UPDATE */* * *",
  ]],
  ["wildcards in kinds of a custom group", [{ match: 'kinds: ["example.com/v1/We*"]', body: pattern }], [
    "CREATE,UPDATE example.com/v1 * *",
  ]],
  [
    "wildcards in kinds of a group of plain Kubernetes",
    [{ match: 'kinds: ["apps/v1/*Set"]', body: pattern }],
    [
      "CREATE,UPDATE apps/v1 daemonsets,statefulsets Namespaced",
    ],
  ],
  ["a subresource of kinds with wildcards", [{ match: 'kinds: ["W*/scale", "W*/s*"]', body: pattern }], [
    "CREATE,UPDATE */* */* *",
  ]],
  ["custom kinds that are called like one of plain Kubernetes", [
    {
      match:
        "kinds: [serving.knative.dev/v1/Service, projectcalico.org/*/NetworkPolicy, longhorn.io/v1/Node]",
      body: pattern,
    },
  ], [
    "CREATE,UPDATE longhorn.io/v1 nodes *",
    "CREATE,UPDATE projectcalico.org/* networkpolicies *",
    "CREATE,UPDATE serving.knative.dev/v1 services *",
  ]],
  ["a version without a group", [{ match: "kinds: [v1/Service]", body: pattern }], [
    "CREATE,UPDATE */v1 services *",
  ]],
  ["a version or subresource that other releases of Kubernetes serve", [
    { match: "kinds: [apps/v2/Deployment, Deployment/pause]", body: pattern },
  ], ["CREATE,UPDATE */* deployments/pause *", "CREATE,UPDATE apps/v2 deployments *"]],
  ["kinds that plain Kubernetes lacks", [{ match: "kinds: [example.com/v1/Policy]", body: pattern }], [
    "CREATE,UPDATE example.com/v1 policies *",
  ]],
  ["kinds that the server's filters exclude", [{ match: "kinds: [ReplicaSet, Event]", body: pattern }], []],
  ["a wildcard kind, which covers the others", [{ match: 'kinds: ["*"]', body: deny }, {
    match: "kinds: [Secret]",
    body: pattern,
  }], [
    "CREATE,DELETE,UPDATE */* *,pods/ephemeralcontainers *",
  ]],
];
for (const [what, given, expected] of rules) {
  Deno.test(`webhook rules of ${what}`, async () => {
    const { objects } = await manifestsOf([policy("p", given)]);
    const covering = expected.filter((each) => !each.startsWith("CREATE,UPDATE /v1 secrets"));
    assert.deepEqual(rulesOf(webhooksOf(objects, "Validating").get("/validate/fail")!), covering);
  });
}

const versions: readonly [what: string, kinds: readonly string[], expected: readonly string[]][] = [
  ["one version and all", ["autoscaling/v2/HorizontalPodAutoscaler", "HorizontalPodAutoscaler"], ["p0"]],
  ["one version of a custom kind and every kind", ["example.com/v1/Widget", "'*'"], ["p0"]],
  ["two versions of a custom kind", ["example.com/v1/Widget", "example.com/v2/Widget"], ["p0", "p1"]],
  ["one version of a custom kind", ["example.com/v1/Widget", "example.com/v1/Widget", "Secret"], []],
  ["the only version and all", ["apps/v1/Deployment", "Deployment", "'*'"], []],
];
for (const [what, kinds, expected] of versions) {
  Deno.test(`a policy gets objects that are written in another version: policies about ${what}`, async () => {
    const { objects } = await manifestsOf(
      kinds.map((kind, index) => policy(`p${index}`, [{ match: `kinds: [${kind}]`, body: pattern }])),
    );
    const webhooks = [...webhooksOf(objects, "Validating")].filter(([, webhook]) =>
      JSON.stringify(webhook["matchConditions"]).includes("request.requestKind.version")
    );
    assert.deepEqual(
      webhooks.map(([path]) => path.split("/").slice(-4).join("/")),
      expected.map((name) => `validate/fail/finegrained/${name}`),
    );
    for (const [, webhook] of webhooks) assert.equal(asList(webhook["rules"]).length, 1);
  });
}

Deno.test("changes of generated objects and of sources have a webhook that ignores failures", async () => {
  const body = (synchronize: boolean): string =>
    `generate: {synchronize: ${synchronize}, apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, name: net, ` +
    'namespace: "{{ request.object.metadata.name }}", data: {}}';
  const clones = "generate: {synchronize: true, namespace: x, cloneList: {namespace: y, kinds: [v1/Secret]}}";
  const match = "kinds: [Namespace]";
  const { objects } = await manifestsOf([
    policy("kept", [{ match, body: body(true) }, { match, body: clones }]),
  ]);
  const webhooks = webhooksOf(objects, "Validating");
  assert.deepEqual(rulesOf(webhooks.get("/validate/fail")!), ["CREATE,DELETE,UPDATE */* namespaces *"]);
  assert.deepEqual(rulesOf(webhooks.get("/validate/ignore")!), [
    "DELETE,UPDATE /v1 secrets Namespaced",
    "DELETE,UPDATE networking.k8s.io/v1 networkpolicies Namespaced",
  ]);
  const left = await manifestsOf([policy("left", [{ match, body: body(false) }])]);
  assert.deepEqual([...webhooksOf(left.objects, "Validating").keys()], ["/validate/fail"]);
});

Deno.test("the webhook's rules include those for pod controllers", async () => {
  const text = policy("p", [{ body: pattern }]).replace(/, annotations: \{[^}]*\}/, "");
  const { objects } = await manifestsOf([text]);
  assert.deepEqual(rulesOf(webhooksOf(objects, "Validating").get("/validate/fail")!), [
    "CREATE,UPDATE /v1 pods/ephemeralcontainers Namespaced",
    "CREATE,UPDATE */* pods *",
    "CREATE,UPDATE */v1 replicationcontrollers *",
    "CREATE,UPDATE apps/v1 daemonsets,deployments,statefulsets Namespaced",
    "CREATE,UPDATE batch/v1 cronjobs,jobs Namespaced",
  ]);
});

Deno.test("webhook rules of a Policy about every kind are about namespaced kinds", async () => {
  const text = policy("p", [{ match: 'kinds: ["*"]', body: deny }])
    .replace("kind: ClusterPolicy", "kind: Policy").replace("metadata: {", "metadata: {namespace: team, ");
  const { objects } = await manifestsOf([text]);
  assert.deepEqual(rulesOf(webhooksOf(objects, "Validating").get("/validate/fail")!), [
    "CREATE,DELETE,UPDATE */* *,pods/ephemeralcontainers Namespaced",
  ]);
});

Deno.test("a webhook gets changes of the objects that a GeneratingPolicy synchronizes", async () => {
  const { objects } = await manifestsOf([celPolicy(
    "GeneratingPolicy",
    `evaluation: {synchronize: {enabled: true}}
  generate:
  - expression: 'generator.Apply("a", [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}])'`,
  )]);
  assert.deepEqual(rulesOf(webhooksOf(objects, "Validating").get("/validate/ignore")!), [
    "DELETE,UPDATE /v1 configmaps Namespaced",
  ]);
});
