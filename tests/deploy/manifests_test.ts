/**
 * `postern manifests` derives webhooks, RBAC rules, permissions and certificates from policies; deploy.yaml is its
 * output.
 */
import assert from "node:assert/strict";
import { asList, asObject, asString, dig, field, isObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { find, manifestsOf, printed, rulesOf, webhooksOf } from "./manifests.ts";
import { schemaProblems } from "./schema.ts";

interface Rule {
  readonly match?: string;
  readonly body: string;
  readonly more?: string;
}

function policy(name: string, rules: readonly Rule[], spec = ""): string {
  const written = rules.map(({ match = "kinds: [Pod]", body, more = "" }, index) => `
  - name: rule-${index}
    match: {any: [{resources: {${match}}}]}
    ${more}
    ${body}`).join("");
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  validationFailureAction: Enforce
  ${spec}
  rules:${written}
`;
}

const pattern = 'validate: {message: m, pattern: {metadata: {name: "?*"}}}';
const deny = "validate: {message: m, deny: {}}";
const mutate = "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}";
const policyWebhooks =
  "get,patch admissionregistration.k8s.io/mutatingwebhookconfigurations,validatingwebhookconfigurations [postern]";

Deno.test("webhook configurations call nothing before a replica is ready, and are deleted before the replicas", async () => {
  const { objects } = await manifestsOf([policy("fails", [{ body: pattern }])]);
  assert.deepEqual(objects.slice(0, 2).map(({ kind }) => kind), [
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
  ]);
  for (const { webhooks } of objects.slice(0, 2)) assert.equal(webhooks, undefined);
  assert.equal(webhooksOf(objects, "Validating").size, 1);
});

Deno.test("manifests for live policies contain the rights, arguments and empty webhooks for them", async () => {
  const { objects } = await printed(["--watch-policies", "--secret-path", "none"]);
  assert.deepEqual(objects.slice(0, 2).map(({ kind }) => kind), [
    "Namespace",
    "ValidatingWebhookConfiguration",
  ]);
  const configurations = objects.filter(({ kind }) => /WebhookConfiguration$/.test(String(kind)));
  for (const { webhooks } of configurations) assert.equal(webhooks, undefined);
  const names = configurations.map((each) => dig(each, "metadata", "name")).sort();
  const named = asList(field(find(objects, "ClusterRole", "postern"), "rules")).flatMap((rule) =>
    asList(field(rule, "resourceNames"))
  );
  assert.deepEqual([...named].sort(), names);
  const labels = dig(
    find(objects, "ClusterRole", "postern-policies"),
    "aggregationRule",
    "clusterRoleSelectors",
  );
  assert.match(JSON.stringify(labels), /rbac\.kyverno\.io\/aggregate-to-background-controller/);
  assert.deepEqual(
    dig(find(objects, "ClusterRoleBinding", "postern-policies"), "roleRef", "name"),
    "postern-policies",
  );
  assert.ok(rulesOf(find(objects, "Role")).includes("get,update coordination.k8s.io/leases [postern]"));
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  const args = asList(field(container, "args"));
  assert.ok(args.includes("--watch-policies"));
  assert.ok(!args.some((arg) => /^--(policies|webhooks)=/.test(String(arg))));
  assert.deepEqual(objects.filter(({ kind }) => kind === "ConfigMap"), []);
  assert.deepEqual(objects.flatMap(schemaProblems), []);
});

Deno.test("changed policies change the pod template, equal policies do not", async () => {
  const checksum = async (message: string): Promise<string> => {
    const { objects } = await manifestsOf([
      policy("p", [{ body: pattern.replace("message: m", `message: ${message}`) }]),
    ]);
    const template = dig(find(objects, "Deployment"), "spec", "template");
    return asString(dig(template, "metadata", "annotations", "postern/policies")) ?? "";
  };
  assert.match(await checksum("one"), /^[0-9a-f]{16}$/);
  assert.equal(await checksum("one"), await checksum("one"));
  assert.notEqual(await checksum("one"), await checksum("two"));
});

Deno.test("probes begin a second after a pod's start, and it has a minute to become live", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])]);
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  assert.equal(dig(container!, "readinessProbe", "initialDelaySeconds"), 1);
  const liveness = (field: string) => Number(dig(container!, "livenessProbe", field));
  const furtherProbes = liveness("failureThreshold") - 1;
  assert.equal(liveness("initialDelaySeconds") + furtherProbes * liveness("periodSeconds"), 60);
});

Deno.test("no startup probe makes all replicas of a node unready when its kubelet restarts", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])]);
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  assert.equal(dig(container!, "startupProbe"), undefined);
});

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
  assert.deepEqual(rulesOf(webhook), ["CREATE,UPDATE /v1 services Namespaced"]);
});

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
  ["a pattern for Pods", [{ body: pattern }], ["CREATE,UPDATE /v1 pods,pods/ephemeralcontainers Namespaced"]],
  ["deny, which also applies to deletions", [{ match: "kinds: [Service]", body: deny }], [
    "CREATE,DELETE,UPDATE /v1 services Namespaced",
  ]],
  ["the operations in match", [{ match: "kinds: [Service], operations: [DELETE]", body: deny }], [
    "DELETE /v1 services Namespaced",
  ]],
  ["two rules about one resource", [{ match: "kinds: [Service]", body: pattern }, {
    match: "kinds: [Service], operations: [DELETE]",
    body: deny,
  }], [
    "CREATE,DELETE,UPDATE /v1 services Namespaced",
  ]],
  ["a subresource that is connected to", [{ match: "kinds: [Pod/exec]", body: deny }], [
    "CONNECT,CREATE,DELETE,UPDATE /v1 pods/exec Namespaced",
  ]],
  ["a group and version", [{ match: "kinds: [apps/v1/Deployment, batch/v1/CronJob]", body: pattern }], [
    "CREATE,UPDATE apps/v1 deployments Namespaced",
    "CREATE,UPDATE batch/v1 cronjobs Namespaced",
  ]],
  ["a cluster-scoped kind", [{ match: "kinds: [Namespace, ClusterRole]", body: pattern }], [
    "CREATE,UPDATE /v1 namespaces *",
    "CREATE,UPDATE rbac.authorization.k8s.io/v1 clusterroles *",
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
  assert.deepEqual(rulesOf(webhooks.get("/validate/fail")!), ["CREATE,DELETE,UPDATE /v1 namespaces *"]);
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
    "CREATE,UPDATE /v1 pods,pods/ephemeralcontainers,replicationcontrollers Namespaced",
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

const context = (entry: string): Rule => ({ body: deny, more: `context: [{name: x, ${entry}}]` });
const rights: readonly [what: string, rule: Rule, expected: readonly string[]][] = [
  ["policies without look-ups", { body: pattern }, []],
  [
    "a namespaceSelector",
    { match: "kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}", body: pattern },
    [
      "get,list,watch /namespaces",
    ],
  ],
  ["a ConfigMap", context("configMap: {name: settings, namespace: a}"), ["get /configmaps [settings]"]],
  [
    "keys and logins of images",
    {
      body: `verifyImages: [{imageReferences: ["a*"], failureAction: Enforce, attestors: [{entries: [${[
        "{keys: {publicKeys: 'k8s://team/release'}}",
        "{attestor: {entries: [{keys: {secret: {namespace: team, name: next}}}]}}",
      ]}]}], imageRegistryCredentials: {secrets: [pull, team/other]}}]`,
    },
    ["get /secrets [next,other,pull,release]"],
  ],
  ["keys of signed manifests", {
    body: "validate: {manifests: {attestors: [{entries: [{keys: {publicKeys: 'k8s://team/release'}}]}]}}",
  }, ["get /secrets [release]"]],
  [
    "a ConfigMap whose name depends on the request",
    context('configMap: {name: "{{ request.name }}", namespace: a}'),
    [
      "get /configmaps",
    ],
  ],
  [
    "a list",
    context('apiCall: {urlPath: "/apis/apps/v1/namespaces/{{ request.namespace }}/deployments?limit=1"}'),
    [
      "list apps/deployments",
    ],
  ],
  ["one object", context("apiCall: {urlPath: /api/v1/namespaces/a/secrets/b}"), ["get /secrets [b]"]],
  ["a namespace", context('apiCall: {urlPath: "/api/v1/namespaces/{{ request.namespace }}"}'), [
    "get /namespaces",
  ]],
  [
    "a review",
    context("apiCall: {method: POST, urlPath: /apis/authorization.k8s.io/v1/subjectaccessreviews}"),
    [
      "create authorization.k8s.io/subjectaccessreviews",
    ],
  ],
  [
    "the triggers and downstream objects of a generate rule",
    {
      match: "kinds: [Namespace]",
      body: "generate: {apiVersion: v1, kind: LimitRange, name: a, namespace: b, data: {}}",
    },
    [
      "create,delete,get,list,patch,update /limitranges",
      "get,list,watch /namespaces",
    ],
  ],
  [
    "a command in a pod that changes the pod: not the right to run commands",
    {
      match: "kinds: [Pod/exec, Deployment/scale]",
      body: "mutate: {targets: [{apiVersion: v1, kind: Service, name: a, namespace: b}], " +
        "patchStrategicMerge: {metadata: {labels: {a: b}}}}",
    },
    [
      "get,list /pods",
      "get,list apps/deployments",
      "get,list apps/deployments/scale",
      "get,list,patch,update /services",
    ],
  ],
  ["a path that is no resource", context("apiCall: {urlPath: /version}"), ["get /version"]],
];
for (const [what, rule, expected] of rights) {
  Deno.test(`rights for ${what}`, async () => {
    const { objects } = await manifestsOf([policy("p", [rule])]);
    assert.deepEqual(rulesOf(find(objects, "ClusterRole")).sort(), [...expected, policyWebhooks].sort());
  });
}

function celPolicy(kind: string, more: string): string {
  return `
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
  ${more}
`;
}

const validation = (expression: string): string =>
  celPolicy("ValidatingPolicy", `validations: [{expression: '${expression}'}]`);
const celRights: readonly [what: string, policy: string, expected: readonly string[], said?: RegExp][] = [
  ["one object", validation('has(resource.Get("v1", "configmaps", "team", "m").kind)'), [
    "get /configmaps [m]",
  ]],
  [
    "keys and logins of images",
    celPolicy(
      "ImageValidatingPolicy",
      `credentials: {secrets: [pull]}
  attestors: [{name: a, cosign: {key: {kms: "k8s://team/release"}, ctlog: {insecureIgnoreTlog: true}, source: {PullSecrets: [{name: more}]}}}]
  validations: [{expression: 'true'}]`,
    ),
    ["get /secrets [more,pull,release]"],
  ],
  [
    "a key in a Secret whose name depends on the request",
    policy("p", [{
      body:
        "verifyImages: [{imageReferences: ['a*'], failureAction: Enforce, attestors: [{entries: [{keys: {publicKeys: 'k8s://team/{{ request.name }}'}}]}]}]",
    }]),
    [],
    /the name of a Secret with a public key depends on the request/,
  ],
  [
    "an object whose name depends on the request",
    validation('has(resource.Get("v1", "configmaps", "team", object.metadata.name).kind)'),
    ["get /configmaps"],
  ],
  [
    "a list in a variable",
    celPolicy(
      "ValidatingPolicy",
      `variables: [{name: all, expression: 'resource.List("apps/v1", "deployments", "")'}]
  validations: [{expression: 'size(variables.all.items) < 5'}]`,
    ),
    ["list apps/deployments"],
  ],
  [
    "a resource that depends on the request",
    validation('has(resource.Get("v1", object.metadata.name, "team", "m").kind)'),
    [],
    /p\/: which resources an expression reads depends on the request/,
  ],
  [
    "a review of rights",
    validation('has(resource.Post("authorization.k8s.io/v1", "subjectaccessreviews", {}).kind)'),
    ["create authorization.k8s.io/subjectaccessreviews"],
  ],
  [
    "the global context",
    validation('globalContext.Get("teams") != null'),
    ["get,list kyverno.io/globalcontextentries"],
    /p\/: these policies do not show which rights its GlobalContextEntry needs/,
  ],
  ["the namespace", validation('namespaceObject.metadata.name != "a"'), ["get,list,watch /namespaces"]],
  [
    "generated objects and sources",
    celPolicy(
      "GeneratingPolicy",
      `evaluation: {synchronize: {enabled: true}}
  generate:
  - expression: 'generator.Apply("a", [resource.Get("v1", "secrets", "default", "regcred")])'
  - template: {value: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: x}\\n"}`,
    ),
    [
      "create,delete,get,list,patch,update /configmaps",
      "create,delete,get,list,patch,update /secrets",
      "get,list /pods",
    ],
  ],
  [
    "the targets of a mutation",
    celPolicy(
      "MutatingPolicy",
      `evaluation: {mutateExisting: {enabled: true}}
  targetMatchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [services], operations: [CREATE]}
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: "remove", path: "/x"}]'}}]`,
    ),
    ["get,list /pods", "get,list,patch,update /services"],
  ],
];
for (const [what, text, expected, remark = /^$|^(?!.*run time)/] of celRights) {
  Deno.test(`rights for ${what} in CEL`, async () => {
    const { objects, said } = await manifestsOf([text]);
    assert.deepEqual(rulesOf(find(objects, "ClusterRole")).sort(), [...expected, policyWebhooks].sort());
    assert.match(said, remark);
  });
}

Deno.test("rights for the parameters of a CEL policy follow from their kind", async () => {
  const body = "validate: {cel: {paramKind: {apiVersion: v1, kind: ConfigMap}, " +
    "paramRef: {selector: {}, parameterNotFoundAction: Deny}, expressions: [{expression: 'params != null'}]}}";
  const { objects } = await manifestsOf([policy("p", [{ body }])]);
  assert.deepEqual(rulesOf(find(objects, "ClusterRole")).sort(), [policyWebhooks, "list /configmaps"].sort());
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

Deno.test("rights include role bindings, and the context of a loop", async () => {
  const loop =
    'validate: {foreach: [{list: "[`1`]", context: [{name: inner, configMap: {name: m, namespace: a}}], deny: {}}]}';
  const text = policy("p", [{ body: loop }]).replace(
    "resources: {kinds: [Pod]}",
    "resources: {kinds: [Pod]}, roles: [r]",
  );
  const { objects } = await manifestsOf([text]);
  assert.deepEqual(rulesOf(find(objects, "ClusterRole")).sort(), [
    "get /configmaps [m]",
    "get,list,watch rbac.authorization.k8s.io/clusterrolebindings",
    "get,list,watch rbac.authorization.k8s.io/rolebindings",
    policyWebhooks,
  ]);
});

Deno.test("manifests remark on a right that only a request determines, and do not grant it", async () => {
  const { objects, said } = await manifestsOf([
    policy("p", [context('apiCall: {urlPath: "/api/v1/{{ request.name }}"}')]),
  ]);
  assert.deepEqual(rulesOf(find(objects, "ClusterRole")), [policyWebhooks]);
  assert.match(said, /p\/rule-0: context entry x: which rights/);
});

const nets: readonly [what: string, rule: Rule, expected: RegExp][] = [
  [
    "the cluster alone",
    { body: pattern },
    /^--allow-net=0\.0\.0\.0:9443,0\.0\.0\.0:8000,kubernetes\.default\.svc:443$/,
  ],
  [
    "a service",
    context("apiCall: {service: {url: https://checks.tools.svc/v1}}"),
    /:443,checks\.tools\.svc$/,
  ],
  [
    "a service at an address",
    context("apiCall: {service: {url: http://10.0.0.5/v1}}"),
    /:443,10\.0\.0\.5:80$/,
  ],
  [
    "a service without TLS, whose address is called",
    context("apiCall: {service: {url: http://checks.tools.svc/v1}}"),
    /^--allow-net$/,
  ],
  [
    "a service that depends on the request",
    context('apiCall: {service: {url: "https://{{ request.name }}/v1"}}'),
    /^--allow-net$/,
  ],
  ["registries", context("imageRegistry: {reference: x}"), /^--allow-net$/],
];
Deno.test("the container may call the services in expressions", async () => {
  const net = async (expression: string): Promise<string | undefined> => {
    const { objects } = await manifestsOf([validation(expression)]);
    const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
    return asList(field(container, "command")).map(String).find((each) => each.startsWith("--allow-net"));
  };
  assert.match(
    await net('http.Get("https://a.b.svc:8443/x?n=" + object.metadata.name) != null') ?? "",
    /:443,a\.b\.svc$/,
  );
  assert.equal(await net('http.Get("https://a" + object.metadata.name) != null'), "--allow-net");
});

Deno.test("the container may look up the name of a service that a policy calls", async () => {
  const { objects } = await manifestsOf([
    policy("p", [context("apiCall: {service: {url: https://localhost:8443/}}")]),
  ]);
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  const net = asList(field(container, "command")).map(String).find((each) => each.startsWith("--allow-net"))!;
  const module = new URL("../../lib/adapters/addresses_of.ts", import.meta.url).href;
  const program = `import { addressesOf } from "${module}"; console.log(await addressesOf("localhost"));`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, program);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--no-prompt", "--quiet", net, file],
      cwd: import.meta.dirname!,
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    assert.match(text.decode(stdout), /"127\.0\.0\.1"/, text.decode(stderr));
  } finally {
    await Deno.remove(file);
  }
});

for (const [what, rule, expected] of nets) {
  Deno.test(`the container's network permission for ${what}`, async () => {
    const { objects } = await manifestsOf([policy("p", [rule])]);
    const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
    const net = asList(field(container, "command")).find((each) => asString(each)?.startsWith("--allow-net"));
    assert.match(asString(net) ?? "", expected);
    const flags = asList(field(container, "command")).map(String);
    assert.ok(!flags.some((flag) => /^(-A|--allow-(all|write|run|ffi|sys))/.test(flag)));
  });
}

Deno.test("many policies are split into ConfigMaps that are mounted into one folder", async () => {
  const large = `# ${"x".repeat(90_000)}\n`;
  const { objects } = await manifestsOf(
    ["a", "b", "c", "d", "e"].map((name) => large + policy(name, [{ body: pattern }])),
  );
  const maps = objects.filter(({ kind }) => kind === "ConfigMap");
  assert.equal(maps.length, 3);
  for (const map of maps) {
    assert.ok(JSON.stringify(map).length < 262_144, "kubectl keeps a copy in an annotation");
  }
  const keys = maps.flatMap((map) => Object.keys(asObject(map["data"]) ?? {}));
  assert.equal(new Set(keys).size, 5);
  const volumes = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "volumes")).filter(
    isObject,
  );
  const sources = asList(dig(volumes[0], "projected", "sources")).map((each) =>
    dig(each, "configMap", "name")
  );
  assert.deepEqual(sources, maps.map((map) => dig(map, "metadata", "name")));
});

Deno.test("by default the manifests contain no key and are reproducible", async () => {
  const one = await manifestsOf([policy("p", [{ body: pattern }])]);
  const again = await manifestsOf([policy("p", [{ body: pattern }])]);
  assert.equal(
    one.text.replaceAll(/tmp-[\w.-]*policy/g, ""),
    again.text.replaceAll(/tmp-[\w.-]*policy/g, ""),
  );
  assert.doesNotMatch(one.text, /PRIVATE KEY|LS0tLS1CRUdJTi/);
  assert.equal(find(one.objects, "Secret")["data"], undefined);
});

Deno.test("--certificate make puts certificate, key and authority into the manifests", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])], "--certificate", "make");
  const data = asObject(find(objects, "Secret", "postern-tls")["data"]) ?? {};
  assert.match(atob(String(data["tls.key"])), /PRIVATE KEY/);
  assert.match(atob(String(data["ca.crt"])), /BEGIN CERTIFICATE/);
  assert.deepEqual(rulesOf(find(objects, "Role")), ["list discovery.k8s.io/endpointslices"]);
  assert.deepEqual(objects.flatMap(schemaProblems), []);
});

Deno.test("--certificate cert-manager leaves certificate and bundle to cert-manager", async () => {
  const { objects } = await manifestsOf([policy("p", [{ body: pattern }])], "--certificate", "cert-manager");
  assert.deepEqual(dig(find(objects, "Certificate"), "spec", "dnsNames"), [
    "postern.postern.svc",
    "postern.postern.svc.cluster.local",
  ]);
  assert.deepEqual(dig(find(objects, "ValidatingWebhookConfiguration"), "metadata", "annotations"), {
    "cert-manager.io/inject-ca-from": "postern/postern-tls",
  });
});

Deno.test("objects are valid against the API's schema", async () => {
  const { objects } = await manifestsOf([
    policy("p", [
      { body: pattern },
      { match: 'kinds: ["*"]', body: mutate },
      context("configMap: {name: m, namespace: a}"),
    ]),
  ]);
  assert.deepEqual(objects.flatMap(schemaProblems), []);
  // The check itself finds what is wrong.
  const wrong = { apiVersion: "v1", kind: "Service", metadata: { name: 1 }, spec: { port: [], ports: [{}] } };
  assert.equal(schemaProblems(wrong).length, 3);
});

Deno.test("webhooks call a random path, which the pods read from a Secret and no command line shows", async () => {
  const text = policy("never", [{ body: deny }]);
  const made = await Promise.all([1, 2].map(() => manifestsOf([text], "--secret-path", "random")));
  const paths = made.map(({ objects }) =>
    atob(String(dig(find(objects, "Secret", "postern-path"), "data", "path")))
  );
  assert.notEqual(paths[0], paths[1]);
  for (const [index, { objects }] of made.entries()) {
    assert.match(paths[index]!, /^\/[0-9a-f]{32}$/);
    assert.deepEqual([...webhooksOf(objects, "Validating").keys()], [`${paths[index]}/validate/fail`]);
    const deployment = JSON.stringify(find(objects, "Deployment"));
    assert.ok(!deployment.includes(paths[index]!));
    assert.match(deployment, /"secretKeyRef":\{"key":"path","name":"postern-path"\}/);
    assert.match(deployment, /--allow-env=[A-Z_,]*POSTERN_SECRET_PATH/);
    assert.match(deployment, /"path":"\/health\/readiness"/);
    assert.deepEqual(objects.flatMap(schemaProblems), []);
  }
  const kept = await manifestsOf([text], "--secret-path", paths[0]!);
  assert.ok(webhooksOf(kept.objects, "Validating").has(`${paths[0]}/validate/fail`));
});

Deno.test("deploy.yaml is the generator's output for policies/", async () => {
  const root = new URL("../../", import.meta.url).pathname;
  // In a process of its own, for paths are relative to the working directory, which all tests share.
  const args = [
    "run",
    "--no-prompt",
    "--allow-read",
    "--allow-env",
    "main.ts",
    "manifests",
    "--policies",
    "policies",
    // Output that everybody can read holds no secret.
    "--secret-path",
    "none",
  ];
  const { code, stdout, stderr } = await new Deno.Command("deno", { args, cwd: root }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const stored = await Deno.readTextFile(`${root}deploy.yaml`);
  const same = stored === new TextDecoder().decode(stdout);
  assert.ok(
    same,
    "run: deno task --quiet postern manifests --policies policies --secret-path none > deploy.yaml",
  );
  const { documents } = parseDocuments(stored, "deploy.yaml");
  assert.deepEqual(documents.flatMap(({ value }) => schemaProblems(value)), []);
});
