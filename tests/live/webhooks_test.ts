/** Webhook configurations that follow from policies, as Kyverno writes them. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { asList, asString, dig, field, type Json, type JsonObject, textField } from "../../lib/json/mod.ts";
import { resourceConfigurations } from "../../lib/live/webhooks/configurations.ts";
import { readConfiguration } from "../../lib/live/configuration.ts";
import { withoutRefused } from "../../lib/live/webhooks/refused_webhooks.ts";
import { type Installation, WebhookRoutes } from "../../lib/live/mod.ts";
import type { ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const installation: Installation = {
  namespace: "kyverno",
  service: "kyverno-svc",
  servicePort: 443,
  prefix: "kyverno",
  path: "",
  caBundle: () => "Y2E=",
  configMap: "kyverno",
  accounts: { background: "b", reports: "r", cleanup: "c" },
};

function resource(
  group: string,
  version: string,
  kind: string,
  rest: Partial<ServedResource> = {},
): ServedResource {
  const plural = `${kind.toLowerCase()}s`;
  return {
    group,
    version,
    kind,
    plural,
    namespaced: true,
    verbs: ["create"],
    subresources: [],
    preferred: true,
    ...rest,
  };
}

const served: readonly ServedResource[] = [
  resource("", "v1", "Pod", {
    subresources: [{ name: "exec", kind: "PodExecOptions" }, { name: "ephemeralcontainers", kind: "Pod" }],
  }),
  resource("", "v1", "ConfigMap"),
  resource("", "v1", "Secret"),
  resource("", "v1", "Namespace", { namespaced: false }),
  resource("", "v1", "Node", { namespaced: false }),
  resource("apps", "v1", "Deployment", { subresources: [{ name: "scale", kind: "Scale" }] }),
  resource("autoscaling", "v2", "Scaler"),
  resource("autoscaling", "v1", "Scaler", { preferred: false }),
];

function configurations(policies: string, configMap?: JsonObject): { validate: Json; mutate: Json } {
  const { policies: compiled } = compile(parseDocuments(policies, "policies.yaml").documents, {
    dialect: "current",
  });
  const { webhooks, filters } = readConfiguration(configMap, { namespace: "kyverno" });
  const [validate = null, mutate = null] = resourceConfigurations({
    policies: compiled,
    served,
    installation,
    settings: webhooks,
    filters,
  });
  return { validate, mutate };
}

interface PolicyParts {
  readonly kind?: string;
  readonly name?: string;
  readonly match: string;
  readonly body?: string;
  readonly spec?: string;
}

function policy({ kind = "ClusterPolicy", name = "p", match, body, spec = "" }: PolicyParts): string {
  return `
apiVersion: kyverno.io/v1
kind: ${kind}
metadata: {name: ${name}, ${
    kind === "Policy" ? "namespace: team, " : ""
  }annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  ${spec}
  rules:
  - name: r
    ${match}
    ${body ?? "validate: {message: m, pattern: {metadata: {labels: {team: '?*'}}}}"}
`;
}

const all = ["CONNECT", "CREATE", "DELETE", "UPDATE"];

const tables: readonly (readonly [
  what: string,
  policies: string,
  phase: "validate" | "mutate",
  rules: readonly Json[],
])[] = [
  [
    "a rule about Pods names the subresource of debug containers",
    policy({ match: "match: {any: [{resources: {kinds: [Pod]}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: all,
        resources: ["pods", "pods/ephemeralcontainers"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "a rule about every kind names the subresource of debug containers",
    policy({ match: "match: {any: [{resources: {kinds: ['*']}}]}" }),
    "validate",
    [
      {
        apiGroups: ["*"],
        apiVersions: ["*"],
        operations: all,
        resources: ["*", "pods/ephemeralcontainers"],
        scope: "*",
      },
    ],
  ],
  [
    "everything and its subresources",
    policy({ match: "match: {any: [{resources: {kinds: ['*/*']}}]}" }),
    "validate",
    [
      { apiGroups: ["*"], apiVersions: ["*"], operations: all, resources: ["*/*"], scope: "*" },
    ],
  ],
  [
    "a Policy about every kind is about namespaced ones",
    policy({ kind: "Policy", match: "match: {any: [{resources: {kinds: ['*']}}]}" }),
    "validate",
    [
      {
        apiGroups: ["*"],
        apiVersions: ["*"],
        operations: all,
        resources: ["*", "pods/ephemeralcontainers"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "cluster-wide kinds have any scope",
    policy({ match: "match: {any: [{resources: {kinds: [Namespace]}}]}" }),
    "validate",
    [
      { apiGroups: [""], apiVersions: ["v1"], operations: all, resources: ["namespaces"], scope: "*" },
    ],
  ],
  [
    "resources of one group and version share a rule",
    policy({ match: "match: {any: [{resources: {kinds: [Secret, ConfigMap, Deployment]}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: all,
        resources: ["configmaps", "secrets"],
        scope: "Namespaced",
      },
      {
        apiGroups: ["apps"],
        apiVersions: ["v1"],
        operations: all,
        resources: ["deployments"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "operations are those of the match",
    policy({ match: "match: {any: [{resources: {kinds: [Secret], operations: [UPDATE, CREATE]}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "exclude removes operations",
    policy({
      match:
        "match: {any: [{resources: {kinds: [Secret]}}]}\n    exclude: {any: [{resources: {operations: [DELETE, CONNECT]}}]}",
    }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "mutations get creations and updates",
    policy({
      match: "match: {any: [{resources: {kinds: [Secret]}}]}",
      body: "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}",
    }),
    "mutate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "subresources are those that the cluster serves",
    policy({ match: "match: {any: [{resources: {kinds: [Pod/exec, '*/scale']}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: all,
        resources: ["pods/exec"],
        scope: "Namespaced",
      },
      { apiGroups: ["*"], apiVersions: ["*"], operations: all, resources: ["*/scale"], scope: "*" },
    ],
  ],
  [
    "of several versions the webhook gets each",
    policy({ match: "match: {any: [{resources: {kinds: [Scaler]}}]}" }),
    "validate",
    ["v1", "v2"].map((version) => ({
      apiGroups: ["autoscaling"],
      apiVersions: [version],
      operations: all,
      resources: ["scalers"],
      scope: "Namespaced",
    })),
  ],
  [
    "webhooks get changes of synchronized objects",
    policy({
      match: "match: {any: [{resources: {kinds: [Namespace], operations: [CREATE]}}]}",
      body: "generate: {apiVersion: v1, kind: Secret, name: s, namespace: team, synchronize: true, data: {}}",
    }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["namespaces"],
        scope: "*",
      },
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "DELETE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
];

for (const [what, policies, phase, rules] of tables) {
  Deno.test(`webhooks: ${what}`, () => {
    const [webhook] = asList(field(configurations(policies)[phase], "webhooks"));
    assert.deepEqual(field(webhook, "rules"), rules);
  });
}

Deno.test("webhooks: a kind that the cluster does not serve has no webhook", () => {
  const { validate, mutate } = configurations(
    policy({ match: "match: {any: [{resources: {kinds: [Unknown]}}]}" }),
  );
  assert.deepEqual([field(validate, "webhooks"), field(mutate, "webhooks")], [[], []]);
});

Deno.test("webhooks: a rule that a wider one covers is left out", () => {
  const wide = policy({ name: "wide", match: "match: {any: [{resources: {kinds: ['*']}}]}" });
  const narrow = policy({ name: "narrow", match: "match: {any: [{resources: {kinds: [Secret]}}]}" });
  const [webhook] = asList(field(configurations(`${wide}---${narrow}`).validate, "webhooks"));
  assert.equal(asList(field(webhook, "rules")).length, 1);
});

Deno.test("webhooks: policies of each failurePolicy share one, and policies with match conditions get separate ones", () => {
  const secrets = "match: {any: [{resources: {kinds: [Secret]}}]}";
  const text = [
    policy({ name: "a", match: secrets }),
    policy({ name: "b", match: secrets, spec: "failurePolicy: Ignore" }),
    policy({ name: "c", match: secrets, spec: "webhookConfiguration: {timeoutSeconds: 25}" }),
    policy({
      name: "d",
      match: secrets,
      spec: "webhookConfiguration: {matchConditions: [{name: x, expression: 'true'}]}",
    }),
  ].join("---");
  const webhooks = asList(field(configurations(text).validate, "webhooks"));
  assert.deepEqual(
    webhooks.map((each) => [
      asString(field(each, "name")),
      dig(each, "clientConfig", "service", "path"),
      field(each, "timeoutSeconds"),
      asList(field(each, "matchConditions")).length,
    ]),
    [
      ["validate.kyverno.svc-fail", "/validate/fail", 25, 2],
      ["validate.kyverno.svc-fail-finegrained-d", "/validate/fail/finegrained/d", 10, 1],
      ["validate.kyverno.svc-ignore", "/validate/ignore", 10, 0],
    ],
  );
});

const byNodes = "postern-not-by-nodes", byServer = "postern-not-by-itself";
const aboutNodes = "postern-not-about-events-and-nodes";
const pods = "match: {any: [{resources: {kinds: [Pod]}}]}";
const conditionCases: readonly (readonly [
  what: string,
  policy: string,
  data: JsonObject,
  expected: readonly string[],
])[] = [
  ["nodes and the API server", policy({ match: pods }), {}, [byNodes, byServer]],
  [
    "the kinds that filters hide, in a policy about every kind",
    policy({ match: 'match: {any: [{resources: {kinds: ["*"]}}]}' }),
    {},
    [byNodes, byServer, aboutNodes],
  ],
  [
    "the kinds that filters hide, in a policy with conditions about them",
    policy({
      match: "match: {any: [{resources: {kinds: [Node]}}]}",
      spec: "webhookConfiguration: {matchConditions: [{name: x, expression: 'true'}]}",
    }),
    {},
    [byNodes, byServer, aboutNodes, "x"],
  ],
  [
    "no group that the ConfigMap does not exclude",
    policy({ match: pods }),
    { excludeGroups: "" },
    [byServer],
  ],
  [
    "no group with a wildcard, which the API server cannot compare",
    policy({ match: pods }),
    { excludeGroups: "system:nodes, system:serviceaccounts:*" },
    [byServer],
  ],
  [
    "no kind that the ConfigMap's filters show, in some namespaces or all",
    policy({ match: 'match: {any: [{resources: {kinds: ["*"]}}]}' }),
    { resourceFilters: "[Pod,default,*][Secret,*,a*]" },
    [byNodes, byServer],
  ],
  ["nothing where failures are ignored", policy({ match: pods, spec: "failurePolicy: Ignore" }), {}, []],
];
for (const [what, text, data, expected] of conditionCases) {
  Deno.test(`webhooks: conditions leave out requests that no policy sees: ${what}`, () => {
    const [webhook] = asList(field(configurations(text, { data }).validate, "webhooks"));
    const conditions = asList(field(webhook, "matchConditions"));
    assert.deepEqual(conditions.map((each) => field(each, "name")), expected);
    for (const each of conditions) {
      if (field(each, "name") !== aboutNodes) continue;
      assert.match(asString(field(each, "expression"))!, /"\/nodes"/);
      assert.doesNotMatch(asString(field(each, "expression"))!, /"\/pods"/);
    }
  });
}

Deno.test("webhooks: a webhook has the ConfigMap's selectors, labels and annotations, and excludes Postern's namespace", () => {
  const data = {
    webhooks: JSON.stringify({
      namespaceSelector: { matchLabels: { gate: "on" } },
      objectSelector: { matchLabels: { a: "b" } },
    }),
    webhookLabels: '{"x":"y"}',
    webhookAnnotations: '{"note":"n"}',
  };
  const { validate } = configurations(policy({ match: "match: {any: [{resources: {kinds: [Secret]}}]}" }), {
    data,
  });
  const [webhook] = asList(field(validate, "webhooks"));
  assert.deepEqual(field(webhook, "objectSelector"), { matchLabels: { a: "b" } });
  assert.deepEqual(dig(webhook, "namespaceSelector", "matchLabels"), { gate: "on" });
  assert.deepEqual(
    asList(dig(webhook, "namespaceSelector", "matchExpressions")).map((each) =>
      asList(field(each, "values"))[0]
    ),
    ["kube-system", "kyverno"],
  );
  assert.deepEqual(dig(validate, "metadata", "labels"), {
    x: "y",
    "webhook.kyverno.io/managed-by": "kyverno",
  });
  assert.equal(dig(validate, "metadata", "annotations", "note"), "n");
});

Deno.test("webhooks: each kind of policies.kyverno.io has separate webhooks", () => {
  const text = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: labels}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  validations: [{expression: "true"}]
`;
  const [webhook] = asList(field(configurations(text).validate, "webhooks"));
  assert.equal(field(webhook, "name"), "vpol.validate.kyverno.svc-fail");
  assert.equal(dig(webhook, "clientConfig", "service", "path"), "/vpol/labels");
  assert.deepEqual(field(webhook, "rules"), [
    {
      apiGroups: ["apps"],
      apiVersions: ["v1"],
      operations: ["CREATE", "UPDATE"],
      resources: ["deployments"],
      scope: "*",
    },
  ]);
});

Deno.test("webhooks: a GeneratingPolicy gets every operation, without conditions, and fails no request", () => {
  const text = `
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: makes}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions: [{name: a, expression: "object.metadata.name == 'a'"}]
  generate: [{expression: "true"}]
`;
  const [webhook] = asList(field(configurations(text).validate, "webhooks"));
  assert.equal(field(webhook, "failurePolicy"), "Ignore");
  assert.equal(field(webhook, "matchConditions"), undefined);
  assert.deepEqual(field(asList(field(webhook, "rules"))[0], "operations"), all);
});

Deno.test("webhooks: a path with unreadable escapes names no policy", () => {
  const snapshot = compile([]);
  const routes = new WebhookRoutes(() => snapshot);
  assert.deepEqual(routes.find("/vpol/%E0%A4%A")?.snapshot.policies, []);
  assert.equal(routes.find("/%zz"), undefined);
});

const onPods = "[{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]";

/** A ValidatingPolicy with conditions, one an expression. */
function celPolicy(name: string, conditions: readonly string[], spec = ""): string {
  const written = conditions.map((expression, index) =>
    `{name: c${index}, expression: ${JSON.stringify(expression)}}`
  );
  return `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: ${name}}
spec:
  ${spec}
  matchConstraints: {resourceRules: ${onPods}}
  matchConditions: [${written.join(", ")}]
  validations: [{expression: "true"}]
`;
}

const noControllers = "autogen: {podControllers: {controllers: []}}";

Deno.test("webhooks: conditions of controllers are about their templates", () => {
  const [webhook] = asList(
    field(
      configurations(celPolicy("p", ["object.metadata.name == 'a'"])).validate,
      "webhooks",
    ),
  );
  const kind = (apiVersion: string, name: string): string =>
    `(object.apiVersion == '${apiVersion}' && object.kind =='${name}')`;
  const controllers = ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"].map((name) =>
    kind("apps/v1", name)
  );
  assert.deepEqual(field(webhook, "matchConditions"), [
    { name: "autogen-c0", expression: `!(${kind("v1", "Pod")}) || (object.metadata.name == 'a')` },
    {
      name: "autogen-cronjobs-c0",
      expression: `!(${
        kind("batch/v1", "CronJob")
      }) || (object.spec.jobTemplate.spec.template.metadata.name == 'a')`,
    },
    {
      name: "autogen-defaults-c0",
      expression: `!(${
        [...controllers, kind("batch/v1", "Job")].join(" || ")
      }) || (object.spec.template.metadata.name == 'a')`,
    },
  ]);
});

const beyond: readonly (readonly [what: string, expression: string])[] = [
  ["a variable", "variables.x == 1"],
  ["a function of Kyverno", "image('a').registry() == 'b'"],
  ["the object below the request", "request.object.metadata.name == 'a'"],
  ["the namespace", "namespaceObject.metadata.name == 'a'"],
  ["an expression that may give no bool", "object.metadata.labels.a"],
  ["a mistake", "object.metadata.("],
];

for (const [what, expression] of beyond) {
  Deno.test(`webhooks: Postern evaluates a condition that the API server would refuse: ${what}`, () => {
    const text = celPolicy("p", ["object.metadata.name == 'a'", expression], noControllers);
    const [webhook] = asList(field(configurations(text).validate, "webhooks"));
    assert.equal(field(webhook, "name"), "vpol.validate.kyverno.svc-fail");
    const conditions = asList(field(webhook, "matchConditions"));
    assert.deepEqual(conditions.map((each) => field(each, "name")), [byNodes, byServer]);
  });
}

Deno.test("webhooks: a condition of the ConfigMap that the API server would refuse is left out", () => {
  const { webhooks } = readConfiguration({
    data: {
      matchConditions: JSON.stringify([
        { name: "nodes", expression: "!('system:nodes' in request.userInfo.groups)" },
        { name: "wrong", expression: "request.object.x == 1" },
      ]),
    },
  }, { namespace: "kyverno" });
  assert.deepEqual(webhooks.matchConditions.map((each) => field(each, "name")), ["nodes"]);
});

Deno.test("webhooks: a path of the API server names policies between slashes, and leads to them", () => {
  const names = ["a", "b.c"];
  const text = names.map((name) => celPolicy(name, [], noControllers)).join("---");
  const namespaced = names.map((name) =>
    celPolicy(name, [], noControllers).replace("kind: Validating", "kind: NamespacedValidating")
      .replace(`{name: ${name}}`, `{name: ${name}, namespace: team}`)
  ).join("---");
  const { documents } = parseDocuments(`${text}---${namespaced}`, "p.yaml");
  const snapshot = compile(documents);
  const routes = new WebhookRoutes(() => snapshot);
  const paths = asList(field(configurations(`${text}---${namespaced}`).validate, "webhooks"))
    .map((webhook) => asString(dig(webhook, "clientConfig", "service", "path")) ?? "");
  assert.deepEqual(paths, ["/nvpol/team/a/team/b.c", "/vpol/a/b.c"]);
  assert.deepEqual(
    paths.map((path) => routes.find(path)?.snapshot.policies.map(({ policy }) => policy.key)),
    [["team/a", "team/b.c"], names],
  );
});

Deno.test("webhooks: names are unique and paths are short, however many policies there are", () => {
  const many = Array.from({ length: 100 }, (_, index) => celPolicy(`p${index}`, [], noControllers));
  const selecting = celPolicy("s", [], noControllers)
    .replace("{resourceRules", "{objectSelector: {matchLabels: {a: b}}, resourceRules");
  const webhooks = asList(field(configurations([...many, selecting].join("---")).validate, "webhooks"));
  const names = webhooks.map((webhook) => asString(field(webhook, "name")));
  assert.equal(new Set(names).size, 4);
  const paths = webhooks.map((webhook) => asString(dig(webhook, "clientConfig", "service", "path")) ?? "");
  assert.equal(paths.flatMap((path) => path.split("/").slice(2)).length, 101);
  assert.ok(paths.every((path) => path.split("/").length <= 42));
});

Deno.test("webhooks: the rules of a CEL policy are copied unchanged", () => {
  const [webhook] = asList(field(configurations(celPolicy("p", [])).validate, "webhooks"));
  assert.deepEqual(asList(field(webhook, "rules")).map((each) => field(each, "resources")), [
    ["pods"],
    ["daemonsets", "deployments", "replicasets", "statefulsets"],
    ["cronjobs"],
    ["jobs"],
  ]);
});

Deno.test("webhooks: a rule about every namespaced kind is left out beside one about every kind", () => {
  const match = "match: {any: [{resources: {kinds: ['*']}}]}";
  const text = [policy({ match }), policy({ kind: "Policy", name: "q", match })].join("---");
  const [webhook] = asList(field(configurations(text).validate, "webhooks"));
  assert.deepEqual(asList(field(webhook, "rules")).map((each) => field(each, "scope")), ["*"]);
});

Deno.test("webhooks: only the webhook that the API server refuses is left out of a configuration", () => {
  const configuration = { webhooks: [{ name: "a" }, { name: "b" }, { name: "c" }] };
  const reason =
    'it is invalid: [webhooks[1].rules[0]: Required value, webhooks[1].name: Invalid value: "b"]';
  assert.deepEqual(withoutRefused(configuration, reason), {
    object: { webhooks: [{ name: "a" }, { name: "c" }] },
    fields: { refused: ["b"] },
  });
  assert.equal(withoutRefused(configuration, "the API server is away"), undefined);
});

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

const unseen: readonly (readonly [what: string, name: string, expression: string])[] = [
  ["that the API server would refuse", "p", "namespaceObject.metadata.name == 'a'"],
  ["whose policy has a long name", "a".repeat(253), "object.metadata.name == 'a'"],
];
for (const [what, name, expression] of unseen) {
  Deno.test(`webhooks: a policy of kyverno.io with a condition ${what} is evaluated at a separate path`, () => {
    const text = policy({
      name,
      match: "match: {any: [{resources: {kinds: [ConfigMap]}}]}",
      spec: `webhookConfiguration: {matchConditions: [{name: c, expression: "${expression}"}]}`,
    });
    const [webhook, ...others] = asList(field(configurations(text).validate, "webhooks"));
    assert.deepEqual(others, []);
    assert.equal(dig(webhook, "clientConfig", "service", "path"), `/validate/fail/finegrained/${name}`);
    assert.ok(asString(field(webhook, "name"))!.length <= 253);
  });
}

/** A policy in CEL about a resource in versions. */
const vpol = (name: string, versions: string, resources: string, more = "") => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    ${more}
    resourceRules:
    - {apiGroups: ["*"], apiVersions: [${versions}], operations: [CREATE], resources: [${resources}]}
  validations: [{expression: "true"}]
`;
const ofKinds = (name: string, kinds: string, spec = "") =>
  policy({ name, match: `match: {any: [{resources: {kinds: [${kinds}]}}]}`, spec });
const twoRules = `${ofKinds("a", "autoscaling/v2/Scaler").trimEnd()}
  - {name: s, match: {any: [{resources: {kinds: [Scaler]}}]}, validate: {message: m, deny: {}}}
`;

/**
 * The API server converts an object for a webhook that is about another version alone. Each row: the path and the
 * resources of each webhook; those of a path that is for converted objects alone have a star.
 */
const versionCases: readonly (readonly [what: string, policies: string, webhooks: readonly string[]])[] = [
  ["in CEL, about one version and about all", vpol("a", "v1", "scalers") + "---" + vpol("b", '"*"', '"*"'), [
    "/vpol/a v1:scalers",
    "/vpol/b *:*",
  ]],
  [
    "in CEL, about one version and about another",
    vpol("a", "v1", "scalers") + "---" + vpol("b", "v2", "scalers") + "---" + vpol("c", "v1", "scalers"),
    ["/vpol/a/c v1:scalers", "/vpol/b v2:scalers"],
  ],
  [
    "in CEL, about each version and about all",
    vpol("a", "v1, v2", "scalers") + "---" + vpol("b", '"*"', '"*"'),
    ["/vpol/a/b *:*"],
  ],
  [
    "in CEL, about different resources",
    vpol("a", "v1", "scalers") + "---" + vpol("b", '"*"', "secrets"),
    ["/vpol/a/b *:secrets v1:scalers"],
  ],
  [
    "in CEL, about all resources of one version",
    vpol("a", "v1", '"*"') + "---" + vpol("b", "v2", "scalers"),
    ["/vpol/a v1:*", "/vpol/b v2:scalers"],
  ],
  [
    "about one version and about all",
    ofKinds("a", "autoscaling/v2/Scaler") + "---" + ofKinds("b", "Scaler") + "---" + ofKinds("c", "Secret"),
    ["/validate/fail v1:scalers v1:secrets v2:scalers", "/validate/fail/finegrained/a* v2:scalers"],
  ],
  ["about one version and every kind", ofKinds("a", "autoscaling/v2/Scaler") + "---" + ofKinds("b", "'*'"), [
    "/validate/fail *:*,pods/ephemeralcontainers",
    "/validate/fail/finegrained/a* v2:scalers",
  ]],
  ["with two rules, about one version and about all", twoRules, [
    "/validate/fail v1:scalers v2:scalers",
    "/validate/fail/finegrained/a* v2:scalers",
  ]],
  [
    "of different failurePolicies",
    ofKinds("a", "autoscaling/v2/Scaler") + "---" + ofKinds("b", "Scaler", "failurePolicy: Ignore"),
    ["/validate/fail v2:scalers", "/validate/ignore v1:scalers v2:scalers"],
  ],
  ["about kinds of one version", ofKinds("a", "v1/Secret") + "---" + ofKinds("b", "'*'"), [
    "/validate/fail *:*,pods/ephemeralcontainers",
  ]],
];
for (const [what, policies, expected] of versionCases) {
  Deno.test(`webhooks: a policy gets objects that are written in another version: policies ${what}`, () => {
    const webhooks = asList(field(configurations(policies).validate, "webhooks"));
    const found = webhooks.map((each) => {
      const isForConverted = asList(field(each, "matchConditions")).some((condition) =>
        /requestKind/.test(textField(condition, "expression"))
      );
      const rules = asList(field(each, "rules")).map((rule) =>
        `${asList(field(rule, "apiVersions")).join()}:${asList(field(rule, "resources")).join()}`
      );
      return `${dig(each, "clientConfig", "service", "path")}${isForConverted ? "*" : ""} ${
        rules.sort().join(" ")
      }`;
    });
    assert.deepEqual(found.sort(), [...expected].sort());
  });
}
