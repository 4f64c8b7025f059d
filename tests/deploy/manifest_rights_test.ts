/** The manifests grant the rights that the policies need, and no others. */
import assert from "node:assert/strict";
import { find, manifestsOf, rulesOf } from "./manifests.ts";
import { celPolicy, context, pattern, policy, type Rule, validation } from "./manifest_policies.ts";

const policyWebhooks =
  "get,patch admissionregistration.k8s.io/mutatingwebhookconfigurations,validatingwebhookconfigurations [postern]";

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
