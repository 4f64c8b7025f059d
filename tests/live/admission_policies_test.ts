/** Admission policies that are made from Kyverno's, and when they stand in for webhooks. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { asList, asTexts, dig, isObject, type JsonObject } from "../../lib/json/mod.ts";
import { ObjectDocuments } from "../../lib/live/object_document.ts";
import { reportedAdmissionPolicies } from "../../lib/live/admission_policies/reported_policies.ts";
import { GeneratedPolicies } from "../../lib/live/admission_policies/generated_policies.ts";
import { type Conversion, conversions } from "../../lib/live/admission_policies/conversions.ts";
import type { ApiCall, Cluster, Collections, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { onPods, silent } from "./setting.ts";

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

/** The admission policies that an API server serves, the newest version first. */
function serving(...versions: readonly string[]): ServedResource[] {
  const kinds = [["Validating", ["v1"]], ["Mutating", versions]] as const;
  return kinds.flatMap(([word, served]) =>
    served.flatMap((version, index) =>
      [["y", "ies"], ["yBinding", "ybindings"]].map(([kind, plural]) => ({
        group: "admissionregistration.k8s.io",
        version,
        kind: `${word}AdmissionPolic${kind}`,
        plural: `${word.toLowerCase()}admissionpolic${plural}`,
        namespaced: false,
        verbs: ["list", "watch"],
        subresources: [],
        preferred: index === 0,
      }))
    )
  );
}

function generated(text: string, served = serving("v1beta1", "v1alpha1")): Conversion[] {
  return conversions(compile(parseDocuments(text, "p.yaml").documents), served);
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

Deno.test("reports include labelled admission policies, each with the bindings of its kind", () => {
  const objects = ["Validating", "Mutating"].flatMap((word): JsonObject[] => [
    {
      kind: `${word}AdmissionPolicy`,
      metadata: {
        name: "p",
        ...(word === "Mutating" && { labels: { "reports.kyverno.io/enabled": "true" } }),
      },
    },
    { kind: `${word}AdmissionPolicyBinding`, metadata: { name: "b" }, spec: { policyName: "p" } },
  ]);
  assert.deepEqual(
    reportedAdmissionPolicies(objects, new ObjectDocuments()).map(({ value }) =>
      isObject(value) ? value["kind"] : value
    ),
    ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"],
  );
});

/** An API server that stores objects, or refuses them. */
function storing(refusing: boolean): { cluster: Cluster; collections: Collections; calls: string[] } {
  const stored = new Map<string, JsonObject>();
  const calls: string[] = [];
  return {
    calls,
    cluster: {
      call: ({ method, path, body }: ApiCall) => {
        if (method === "GET") {
          const found = stored.get(path);
          return Promise.resolve(
            found === undefined
              ? { ok: false, status: 404, message: "not found" }
              : { ok: true, status: 200, body: found },
          );
        }
        calls.push(`${method} ${path.split("/").at(-1)}`);
        if (refusing) return Promise.resolve({ ok: false, status: 422, message: "is invalid" });
        if (method === "DELETE") stored.delete(path);
        if (!isObject(body)) return Promise.resolve({ ok: true, status: 200, body: {} });
        stored.set(`${path}/${dig(body, "metadata", "name")}`, body);
        return Promise.resolve({ ok: true, status: 201, body });
      },
      resource: () => Promise.resolve(undefined),
    },
    collections: {
      watch: () => ({
        objects: () => [...stored.values()],
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
      }),
    },
  };
}

const asAdmissionPolicy = onPods.replace(
  "spec:\n",
  "spec:\n  autogen: {podControllers: {controllers: []}, validatingAdmissionPolicy: {enabled: true}}\n",
);

for (const refusing of [false, true]) {
  const title = refusing ? "the API server refuses it" : "the API server has had time to enforce it";
  Deno.test(`an admission policy replaces a webhook when ${title}: ${!refusing}`, async () => {
    const { cluster, collections, calls } = storing(refusing);
    const later: (() => void)[] = [];
    let changes = 0;
    const keeper = new GeneratedPolicies({
      cluster,
      collections,
      log: silent,
      leads: () => true,
      after: (_, task) => void later.push(task),
      changed: () => void changes++,
    });
    await keeper.follow(serving());
    const wanted = conversions(compile(parseDocuments(asAdmissionPolicy, "p.yaml").documents), serving());
    assert.equal(wanted[0]?.objects.length, 2);
    const made = await keeper.write(wanted);
    assert.deepEqual(calls, ["POST validatingadmissionpolicies", "POST validatingadmissionpolicybindings"]);
    assert.equal(keeper.isEnforced(wanted[0]!), false);
    for (const task of later) task();
    assert.equal(keeper.isEnforced(wanted[0]!), !refusing);
    assert.equal(changes, refusing ? 0 : 1);
    assert.equal(made[0]!.message, refusing ? "is invalid" : "");
    await keeper.write([]);
    assert.equal(keeper.isEnforced(wanted[0]!), false);
    await keeper.close();
  });
}
