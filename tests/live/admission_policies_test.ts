/** Policies in CEL become admission policies of Kubernetes where these can express them. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { asList, asTexts, completed, dig, type JsonObject } from "../../lib/json/mod.ts";
import { type Conversion, conversions } from "../../lib/live/admission_policies/conversions.ts";
import type { ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { serving } from "./generated_admission_policies.ts";

const patch = `[JSONPatch{op: "add", path: "/a", value: "b"}]`;

const onDeployments = `
apiVersion: policies.kyverno.io/v1beta1
kind: MutatingPolicy
metadata: {name: labels, uid: u}
spec:
  autogen: {mutatingAdmissionPolicy: {enabled: true}}
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  matchConditions: [{name: in-dev, expression: "request.namespace == 'dev'"}]
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: '${patch}'}}]
`;

function generated(text: string, served = serving("v1beta1", "v1alpha1")): Conversion[] {
  return completed(conversions(compile(parseDocuments(text, "p.yaml").documents), served));
}

Deno.test("a MutatingPolicy becomes a MutatingAdmissionPolicy", () => {
  const [policy, binding] = generated(onDeployments)[0]!.objects;
  const metadata = (name: string) => ({
    name,
    labels: { "app.kubernetes.io/managed-by": "kyverno" },
    ownerReferences: [{
      apiVersion: "policies.kyverno.io/v1beta1",
      kind: "MutatingPolicy",
      name: "labels",
      uid: "u",
    }],
  });
  assert.deepEqual(policy, {
    apiVersion: "admissionregistration.k8s.io/v1beta1",
    kind: "MutatingAdmissionPolicy",
    metadata: metadata("mpol-labels"),
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [{
          apiGroups: ["apps"],
          apiVersions: ["v1"],
          operations: ["CREATE"],
          resources: ["deployments"],
        }],
      },
      matchConditions: [{ name: "in-dev", expression: "request.namespace == 'dev'" }],
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: patch } }],
      reinvocationPolicy: "Never",
    },
  });
  assert.deepEqual(binding, {
    apiVersion: "admissionregistration.k8s.io/v1beta1",
    kind: "MutatingAdmissionPolicyBinding",
    metadata: metadata("mpol-labels-binding"),
    spec: { policyName: "mpol-labels" },
  });
});

/**
 * The match and exclude blocks of a ClusterPolicy, and the rules of the admission policy that Postern makes from it.
 */
const constraints: readonly (readonly [what: string, blocks: string, rules: string, excluded: string])[] = [
  [
    "Pods, with the containers that are added to debug one",
    "match: {any: [{resources: {kinds: [Pod]}}]}",
    "pods,pods/ephemeralcontainers",
    "",
  ],
  ["every kind, by its resources alone", "match: {any: [{resources: {kinds: ['*']}}]}", "*", ""],
  [
    "Pods, but not those of a namespace, which is excluded as an object of that name",
    "match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {namespaces: [kube-system]}}]}",
    "pods,pods/ephemeralcontainers",
    "namespaces kube-system",
  ],
];

const inexpressible: readonly (readonly [blocks: string, message: string])[] = [
  [
    "match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: a}]}]}",
    "users and roles in match",
  ],
  ["match: {any: [{resources: {kinds: [Pod]}, clusterRoles: [a]}]}", "users and roles in match"],
  ["match: {any: [{resources: {kinds: [Pod], annotations: {a: b}}}]}", "annotations in match"],
  ["match: {any: [{resources: {kinds: [Pod], names: ['a*']}}]}", "wildcards in names in match"],
  [
    "match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {app: 'web-*'}}}}]}",
    "wildcards in selectors in match",
  ],
  [
    "match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {selector: {matchLabels: {a: b}}}}]}",
    "an object selector in exclude",
  ],
  [
    "match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {namespaceSelector: {matchLabels: {a: b}}}}]}",
    "a namespace selector in exclude",
  ],
  [
    "match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {kinds: [Pod], namespaces: [a]}}]}",
    "kinds in a namespace in exclude",
  ],
];
for (const [blocks, message] of inexpressible) {
  Deno.test(`no ValidatingAdmissionPolicy is made of ${message}, and the policy's status has the reason`, () => {
    const text = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: c, uid: u, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules: [{name: r, ${blocks}, validate: {cel: {generate: true, expressions: [{expression: "true"}]}}}]
`;
    const [generation] = generated(text);
    assert.deepEqual(generation?.objects, []);
    assert.equal(generation?.message, `skip generation: ${message}`);
  });
}

for (const [what, blocks, rules, excluded] of constraints) {
  Deno.test(`a ClusterPolicy with validate.cel.generate matches ${what}`, () => {
    const text = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: c, uid: u, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules: [{name: r, ${blocks}, validate: {cel: {generate: true, expressions: [{expression: "true"}]}}}]
`;
    const core = (kind: string, namespaced: boolean, subresources: ServedResource["subresources"]) => ({
      ...{ group: "", version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced, subresources },
      ...{ verbs: ["create"], preferred: true },
    });
    const served = [
      ...serving(),
      core("Pod", true, [{ name: "ephemeralcontainers", kind: "Pod" }]),
      core("Namespace", false, []),
    ];
    const [policy] = generated(text, served)[0]!.objects;
    const listed = (field: string): string =>
      asList(dig(policy!, "spec", "matchConstraints", field)).map((rule) =>
        [asTexts(dig(rule, "resources")).join(), ...asTexts(dig(rule, "resourceNames"))].join(" ")
      ).join();
    assert.deepEqual([listed("resourceRules"), listed("excludeResourceRules")], [rules, excluded]);
  });
}

Deno.test("several filters in match.all cannot be written as an admission policy", () => {
  const text = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: c, uid: u}
spec:
  rules:
  - name: r
    match: {all: [{resources: {kinds: [Pod]}}, {resources: {namespaces: [a]}}]}
    validate: {cel: {generate: true, expressions: [{expression: "true"}]}}
`;
  assert.match(generated(text)[0]!.message, /multiple filters in match\.all/);
});

const without: readonly (readonly [reason: string, text: string, served: ServedResource[]])[] = [
  ["serves no kind MutatingAdmissionPolicy", onDeployments, serving()],
  [
    "controllers of Pods",
    onDeployments.replace("[apps]", '[""]').replace("[deployments]", "[pods]"),
    serving("v1"),
  ],
  [
    "not for admission",
    onDeployments.replace("  autogen", "  evaluation: {admission: {enabled: false}}\n  autogen"),
    serving("v1"),
  ],
  [
    "objects that exist",
    onDeployments.replace("  autogen", "  evaluation: {mutateExisting: {enabled: true}}\n  autogen"),
    serving("v1"),
  ],
  [
    "useServerSideApply",
    onDeployments.replace("  autogen", "  evaluation: {useServerSideApply: true}\n  autogen"),
    serving("v1"),
  ],
  [
    "an exception that expires",
    `${onDeployments}---\n${exceptionText("e", "expiresAt: 2030-01-01T00:00:00Z")}`,
    serving("v1"),
  ],
  [
    "allowed values for some objects",
    `${onDeployments}---\n${
      exceptionText("e", "images: [a], matchConditions: [{name: c, expression: 'true'}]")
    }`,
    serving("v1"),
  ],
];
for (const [reason, text, served] of without) {
  Deno.test(`a policy is not made into an admission policy: ${reason}`, () => {
    const [generation] = generated(text, served);
    assert.deepEqual(generation?.objects, []);
    assert.match(generation.message, new RegExp(reason));
  });
}

function exceptionText(name: string, more: string): string {
  return `
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: ${name}, namespace: team}
spec: {policyRefs: [{kind: MutatingPolicy, name: labels}], ${more}}
`;
}

const exclusions: readonly (readonly [what: string, exceptions: string[], conditions: string[]])[] = [
  [
    "one condition",
    ["matchConditions: [{name: c, expression: a == b}]"],
    ["c: !(a == b)", "in-dev: request.namespace == 'dev'"],
  ],
  [
    "all conditions of an exception must hold",
    ["matchConditions: [{name: c, expression: a}, {name: d, expression: b}]"],
    ["c: !((a) && (b))", "in-dev: request.namespace == 'dev'"],
  ],
  [
    "an exception without conditions leaves out everything",
    ["reportResult: skip"],
    ["e0: !(true)", "in-dev: request.namespace == 'dev'"],
  ],
  [
    "names stay unique",
    [
      "matchConditions: [{name: in-dev, expression: a}]",
      "matchConditions: [{name: in-dev, expression: b}]",
    ],
    ["in-dev: !(a)", "in-dev-2: !(b)", "in-dev-3: request.namespace == 'dev'"],
  ],
];
for (const [what, exceptions, expected] of exclusions) {
  Deno.test(`exceptions exclude objects from an admission policy: ${what}`, () => {
    const texts = exceptions.map((more, index) => exceptionText(`e${index}`, more));
    const [policy] = generated([onDeployments, ...texts].join("---\n"))[0]!.objects;
    const conditions = dig(policy!, "spec", "matchConditions") as readonly JsonObject[];
    assert.deepEqual(conditions.map(({ name, expression }) => `${name}: ${expression}`), expected);
  });
}

Deno.test("the allowed values of an exception are literals, for any text", () => {
  const text = `${onDeployments}---\n${exceptionText("e", `allowedValues: ["it's", 'a"b\\']`)}`
    .replace(patch, `[JSONPatch{op: "add", path: "/a", value: exceptions.allowedValues[0]}]`);
  const [policy] = generated(text)[0]!.objects;
  assert.deepEqual(dig(policy!, "spec", "variables"), [
    { name: "allowedImages", expression: "[]" },
    { name: "allowedValues", expression: String.raw`['it\'s', 'a\"b\\']` },
  ]);
  assert.match(JSON.stringify(dig(policy!, "spec", "mutations")), /variables\.allowedValues/);
});
