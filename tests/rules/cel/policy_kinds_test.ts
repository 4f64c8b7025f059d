import assert from "node:assert/strict";
import { compile } from "../../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../../lib/json/mod.ts";
import { admissionResponse } from "../../../lib/report/mod.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";
import { decide, deployment, resultLines } from "./decide.ts";

const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "prod", ...metadata },
  spec,
});

/** A policy of a kind with this spec; `more` is put beside the constraints. */
function written(
  kind: string,
  more: string,
  resources = "{apiGroups: [''], apiVersions: [v1], resources: [pods]}",
) {
  const apiVersion = kind.includes("Admission")
    ? "admissionregistration.k8s.io/v1"
    : "policies.kyverno.io/v1";
  const rule = resources.replace("}", ", operations: [CREATE, UPDATE]}");
  return `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [${rule}]}
${more.replace(/^(?=.)/gm, "  ")}
`;
}

const named = "validations: [{expression: 'object.metadata.name != \"web\"', message: bad name}]";

Deno.test("ValidatingPolicy: the first validation that does not hold gives its message", async () => {
  const resultsFor = async (more: string) =>
    resultLines(await decide({ policy: written("ValidatingPolicy", more), object: pod({}) }));
  assert.deepEqual(await resultsFor("validations: [{expression: 'true'}]"), ["pass success"]);
  assert.deepEqual(await resultsFor(named), ["fail bad name"]);
  assert.deepEqual(await resultsFor("validations: [{expression: 'true'}, {expression: 'false'}]"), [
    "fail CEL expression validation failed at index 1",
  ]);
  assert.deepEqual(
    await resultsFor(
      "validations: [{expression: 'false', messageExpression: \"'no ' + object.metadata.name\"}]",
    ),
    ["fail no web"],
  );
  assert.deepEqual(await resultsFor("validations: [{expression: object.spec.gone == 1}]"), [
    "error error: no such key: gone",
  ]);
  assert.deepEqual(
    await resultsFor(
      "variables: [{name: a, expression: object.metadata.name}]\nvalidations: [{expression: variables.a == 'web'}]",
    ),
    ["pass success"],
  );
});

Deno.test("ValidatingPolicy: match conditions skip, and fail as failurePolicy says", async () => {
  const resultsFor = async (condition: string, more = "") =>
    resultLines(
      await decide({
        policy: written(
          "ValidatingPolicy",
          `${more}matchConditions: [{name: a, expression: ${condition}}]\n${named}`,
        ),
        object: pod({}),
      }),
    );
  assert.deepEqual(await resultsFor("'false'"), ["skip skip"]);
  assert.deepEqual(await resultsFor("object.spec.gone == 1"), [
    "error failed to load context: no such key: gone",
  ]);
  assert.deepEqual(await resultsFor("object.spec.gone == 1", "failurePolicy: Ignore\n"), ["skip skip"]);
});

const stored = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { env: "prod" } },
});

const namespaceRequests: [
  change: string,
  objects: { object?: JsonObject; oldObject?: JsonObject },
  seen: string,
][] = [
  ["UPDATE", { object: stored("prod"), oldObject: stored("prod") }, "fail prod"],
  ["DELETE", { oldObject: stored("prod") }, "fail prod"],
  ["CREATE", { object: stored("new") }, "fail null"],
];

for (const [operation, objects, seen] of namespaceRequests) {
  Deno.test(`ValidatingPolicy: namespaceObject of a Namespace is the stored one: ${operation}`, async () => {
    const expression = 'namespaceObject == null ? "null" : namespaceObject.metadata.labels.env';
    const policy = (kind: string) =>
      written(
        kind,
        `validations: [{expression: 'false', messageExpression: '${expression}'}]`,
        "{apiGroups: [''], apiVersions: [v1], resources: [namespaces]}",
      ).replace("CREATE, UPDATE", "CREATE, UPDATE, DELETE");
    const input = { ...objects, cluster: [stored("prod")] };
    assert.deepEqual(resultLines(await decide({ ...input, policy: policy("ValidatingPolicy") })), [seen]);
    const native = await decide({ ...input, policy: policy("ValidatingAdmissionPolicy") });
    assert.deepEqual(resultLines(native), ["fail null"]);
  });
}

Deno.test("ValidatingPolicy: constraints select by resource, name, labels and namespace", async () => {
  const resultsFor = async (constraints: string, object = pod({}, { labels: { app: "web" } })) =>
    resultLines(
      await decide({
        policy: written("ValidatingPolicy", named).replace(
          /matchConstraints: .*/,
          `matchConstraints: ${constraints}`,
        ),
        object,
        cluster: [{
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "prod", labels: { tier: "gold" } },
        }],
      }),
    ).length;
  const pods = "{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: ['*']";
  const cases: [constraints: string, selects: boolean][] = [
    [`{resourceRules: [${pods}}]}`, true],
    [`{resourceRules: [${pods}, resourceNames: [web]}]}`, true],
    [`{resourceRules: [${pods}, resourceNames: [other]}]}`, false],
    [`{resourceRules: [${pods.replace("'*'", "DELETE")}}]}`, false],
    [`{resourceRules: [${pods}}], excludeResourceRules: [${pods}}]}`, false],
    [`{resourceRules: [${pods}}], objectSelector: {matchLabels: {app: web}}}`, true],
    [`{resourceRules: [${pods}}], objectSelector: {matchLabels: {app: other}}}`, false],
    [`{resourceRules: [${pods}}], namespaceSelector: {matchLabels: {tier: gold}}}`, true],
    [`{resourceRules: [${pods}}], namespaceSelector: {matchLabels: {tier: lead}}}`, false],
    [
      `{resourceRules: [${pods}}], namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: prod}}}`,
      true,
    ],
    [
      "{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: [CREATE]}]}",
      true,
    ],
    [
      "{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/exec'], operations: [CREATE]}]}",
      false,
    ],
  ];
  for (const [constraints, selects] of cases) {
    assert.equal(await resultsFor(constraints), selects ? 1 : 0, constraints);
  }
});

Deno.test("ValidatingPolicy: autogen applies rules about Pods to their controllers, unless it is disabled", async () => {
  const more = "validations: [{expression: object.spec.hostNetwork == false, message: host}]";
  const object = deployment({ template: { spec: { hostNetwork: true } } });
  const resultsFor = async (policy: string) => resultLines(await decide({ policy, object }));
  assert.deepEqual(await resultsFor(written("ValidatingPolicy", more)), ["fail host"]);
  const off = "autogen: {podControllers: {controllers: []}}\n";
  assert.deepEqual(await resultsFor(written("ValidatingPolicy", off + more)), []);
});

Deno.test("ValidatingPolicy: exceptions skip it, let it pass, or set the variable exceptions", async () => {
  const resultsFor = async (spec: string, more = named) =>
    resultLines(
      await decide({
        policy: `${written("ValidatingPolicy", more)}---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: exceptions}
spec:
  policyRefs: [{name: p, kind: ValidatingPolicy}]
${spec.replace(/^(?=.)/gm, "  ")}
`,
        object: pod({}),
      }),
    );
  assert.deepEqual(await resultsFor("matchConditions: [{name: a, expression: 'true'}]"), [
    "skip rule is skipped due to policy exception: exceptions/e",
  ]);
  assert.deepEqual(await resultsFor("reportResult: pass"), [
    "pass rule is passed due to policy exception: exceptions/e",
  ]);
  assert.deepEqual(await resultsFor("matchConditions: [{name: a, expression: 'false'}]"), ["fail bad name"]);
  assert.deepEqual(await resultsFor("expiresAt: '1969-01-01T00:00:00Z'"), ["fail bad name"]);
  assert.deepEqual(
    await resultsFor(
      "allowedValues: [web]",
      "validations: [{expression: object.metadata.name in exceptions.allowedValues}]",
    ),
    ["pass success"],
  );
});

Deno.test("ValidatingPolicy in mode JSON evaluates any object, and no requests", async () => {
  const policy = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\n" +
    "spec: {evaluation: {mode: JSON}, validations: [{expression: object.metadata.name == 'web'}]}\n";
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["pass success"]);
  const { policies } = compile(parseDocuments(policy, "p.yaml").documents);
  assert.equal(policies[0]!.policy.admission, false);
});

Deno.test("a policy in mode JSON has no audit annotations", async () => {
  const policy = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\n" +
    "spec: {evaluation: {mode: JSON}, validations: [{expression: object.metadata.name == 'web'}],\n" +
    "auditAnnotations: [{key: k, valueExpression: object.nope}]}\n";
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["pass success"]);
});

Deno.test("an exception that cannot be evaluated exempts nothing where failurePolicy is Ignore", async () => {
  const resultsFor = async (failurePolicy: string) =>
    resultLines(
      await decide({
        policy: `${written("ValidatingPolicy", `failurePolicy: ${failurePolicy}\n${named}`)}---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: exceptions}
spec:
  policyRefs: [{name: p, kind: ValidatingPolicy}]
  matchConditions: [{name: a, expression: object.spec.nope == 1}]
`,
        object: pod({}),
      }),
    );
  assert.deepEqual(await resultsFor("Ignore"), ["fail bad name"]);
  assert.deepEqual(await resultsFor("Fail"), ["error failed to load context: no such key: nope"]);
});

Deno.test("ValidatingPolicy: an exception that does not compile is reported and exempts nothing", async () => {
  const policy = `${written("ValidatingPolicy", named)}---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: exceptions}
spec: {policyRefs: [{name: p, kind: ValidatingPolicy}], matchConditions: [{name: a, expression: nothing.here}]}
`;
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["fail bad name"]);
  const { diagnostics } = compile(parseDocuments(policy, "p.yaml").documents);
  assert.match(diagnostics.map(({ message }) => message).join(), /"exceptions\/e" is not used: CEL 1:1/);
});

Deno.test("a denial by CEL policies is one line, and an error denies even when failurePolicy is Ignore", async () => {
  const message = async (more: string) => {
    const decision = await decide({ policy: written("ValidatingPolicy", more), object: pod({}) });
    const response = admissionResponse(decision, { kind: "Pod", namespace: "prod", name: "web" });
    return response.status?.message ?? JSON.stringify(response.warnings ?? []);
  };
  assert.equal(await message(named), "Policy p failed: bad name");
  assert.equal(
    await message("failurePolicy: Ignore\nvalidations: [{expression: object.spec.gone == 1}]"),
    "Policy p error: error: no such key: gone",
  );
  assert.equal(await message(`validationActions: [Audit]\n${named}`), "[]");
  assert.equal(await message(`validationActions: [Warn]\n${named}`), '["Policy p failed: bad name"]');
});

Deno.test("an audit annotation that cannot be evaluated denies the request, even when failurePolicy is Ignore", async () => {
  const more = "failurePolicy: Ignore\nvalidations: [{expression: 'true'}]\n" +
    "auditAnnotations: [{key: a, valueExpression: string(object.spec.gone)}]";
  const decision = await decide({ policy: written("ValidatingPolicy", more), object: pod({}) });
  assert.deepEqual([decision.allowed, resultLines(decision)], [false, [
    "error failed to load context: failed to evaluate auditAnnotation 'a': no such key: gone",
  ]]);
});

Deno.test("MutatingPolicy: without a cluster no patch merges into custom resources", async () => {
  const widget: JsonObject = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "web", namespace: "prod" },
  };
  const merge =
    "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{spec: Object.spec{a: 1}}'}}";
  const text = written(
    "MutatingPolicy",
    `mutations: [${merge}]`,
    "{apiGroups: [example.com], apiVersions: [v1], resources: [widgets]}",
  );
  const input = { policy: text, object: widget, phase: "mutate" } as const;
  assert.deepEqual(resultLines(await decide({ ...input, absent: ["downstream"] })), [
    "error failed to evaluate policy: error applying patch: type converter must not be nil",
  ]);
  assert.deepEqual((await decide(input)).object?.["spec"], { a: 1 });
});

const mutations: [name: string, mutation: string, expected: Json][] = [
  [
    "an apply configuration merges lists by their keys",
    "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{spec: Object.spec{containers: " +
    '[Object.spec.containers{name: "a", tty: true}, Object.spec.containers{name: "b"}]}}\'}}',
    { containers: [{ name: "a", image: "x", tty: true }, { name: "b" }] },
  ],
  [
    "a JSON patch is applied",
    '{patchType: JSONPatch, jsonPatch: {expression: \'[JSONPatch{op: "add", path: "/spec/" + ' +
    'jsonpatch.escapeKey("a/b"), value: 1}]\'}}',
    { containers: [{ name: "a", image: "x" }], "a/b": 1 },
  ],
];

for (const kind of ["MutatingPolicy", "MutatingAdmissionPolicy"]) {
  for (const [name, mutation, expected] of mutations) {
    Deno.test(`${kind}: ${name}`, async () => {
      const decision = await decide({
        policy: written(kind, `mutations: [${mutation}]`),
        object: pod({ containers: [{ name: "a", image: "x" }] }),
        phase: "mutate",
      });
      assert.deepEqual(decision.object?.["spec"], expected);
    });
  }
}

Deno.test("MutatingPolicy: an apply configuration with an atomic list is an error without useServerSideApply", async () => {
  const mutations = "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: " +
    "'Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: \"b\"}]}}'}}]";
  const object = pod({ tolerations: [{ key: "a" }] });
  const problem =
    "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: " +
    ".spec.tolerations";
  const refused = await decide({ policy: written("MutatingPolicy", mutations), object, phase: "mutate" });
  assert.deepEqual(resultLines(refused), [`error failed to evaluate policy: ${problem}`]);
  const native = await decide({
    policy: written("MutatingAdmissionPolicy", mutations),
    object,
    phase: "mutate",
  });
  assert.deepEqual(resultLines(native), [`error ${problem}`]);
  const text = written("MutatingPolicy", `evaluation: {useServerSideApply: true}\n${mutations}`);
  const replaced = await decide({ policy: text, object, phase: "mutate" });
  assert.deepEqual(replaced.object?.["spec"], { tolerations: [{ key: "b" }] });
});

Deno.test("MutatingPolicy: an apply configuration keeps apiVersion and kind", async () => {
  const mutations = "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: " +
    '\'Object{apiVersion: "v2", kind: "Other", metadata: Object.metadata{labels: {"a": "b"}}}\'}}]';
  const decision = await decide({
    policy: written("MutatingPolicy", mutations),
    object: pod({}),
    phase: "mutate",
  });
  assert.deepEqual(decision.object, { ...pod({}, { labels: { a: "b" } }) });
});

Deno.test("MutatingPolicy: finalizers of a custom resource are added to those that it has", async () => {
  const mutations = "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: " +
    "'Object{metadata: Object.metadata{finalizers: [\"b/b\"]}}'}}]";
  const widgets = "{apiGroups: [example.com], apiVersions: [v1], resources: [widgets]}";
  const widget = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", finalizers: ["a/a"] },
  };
  const decision = await decide({
    policy: written("MutatingPolicy", mutations, widgets),
    object: widget,
    phase: "mutate",
    cluster: [],
  });
  assert.deepEqual(resultLines(decision), ["pass success"]);
  assert.deepEqual(decision.object?.["metadata"], { name: "w", finalizers: ["a/a", "b/b"] });
});

const leftOvers: [operation: string, problem: string][] = [
  ['op: "replace", path: "", value: {}', "Internal error occurred: Object 'Kind' is missing in '{}'"],
  [
    'op: "remove", path: "/kind"',
    'Internal error occurred: Object \'Kind\' is missing in \'{"apiVersion":"v1"',
  ],
  ['op: "nope", path: "/kind"', "JSON Patch: Unexpected kind: nope"],
];

for (const [operation, problem] of leftOvers) {
  Deno.test(`MutatingPolicy: a JSON patch that cannot be applied is an error: ${operation}`, async () => {
    const mutations =
      `mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{${operation}}]'}}]`;
    const decision = await decide({
      policy: written("MutatingPolicy", mutations),
      object: pod({}),
      phase: "mutate",
    });
    assert.ok(resultLines(decision)[0]!.startsWith(`error failed to evaluate policy: ${problem}`));
  });
}

Deno.test("MutatingPolicy: a mutation sees the result of the former mutation", async () => {
  const set = (value: string) =>
    "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: " +
    `{"n": ${value}}}}'}}`;
  const decision = await decide({
    policy: written("MutatingPolicy", `mutations: [${set('"1"')}, ${set('object.metadata.labels.n + "2"')}]`),
    object: pod({}),
    phase: "mutate",
  });
  assert.deepEqual((decision.object?.["metadata"] as JsonObject)["labels"], { n: "12" });
});

Deno.test("MutatingPolicy: a controller's template changes as a Pod would", async () => {
  const decision = await decide({
    policy: written(
      "MutatingPolicy",
      "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: " +
        "'Object{spec: Object.spec{hostNetwork: false}}'}}]",
    ),
    object: deployment({ template: { spec: { hostNetwork: true } } }),
    phase: "mutate",
  });
  assert.deepEqual(decision.object?.["spec"], { template: { spec: { hostNetwork: false } } });
});

const parameterLists: [name: string, conditions: string, expected: string][] = [
  ["an error of one that is ignored", "", "fail a"],
  [
    "one that its match conditions pass over",
    "{name: c, expression: \"params.metadata.name != 'a-none'\"}",
    "fail a",
  ],
];

for (const [name, conditions, expected] of parameterLists) {
  Deno.test(`ValidatingAdmissionPolicy: a parameter denies the request, also behind ${name}`, async () => {
    const parameter = (name: string, data: JsonObject): JsonObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "prod" },
      data,
    });
    const policy = written(
      "ValidatingAdmissionPolicy",
      `failurePolicy: Ignore
paramKind: {apiVersion: v1, kind: ConfigMap}
matchConditions: [${conditions}]
validations: [{expression: params.data.max == "9", message: a}]`,
    );
    const decision = await decide({
      policy: `${policy}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, paramRef: {selector: {}, parameterNotFoundAction: Deny}, validationActions: [Deny]}
`,
      object: pod({}),
      cluster: [parameter("a-none", {}), parameter("b", { max: "2" }), parameter("c", { max: "9" })],
    });
    assert.deepEqual(resultLines(decision), [expected]);
    assert.equal(decision.allowed, false);
    const { status } = admissionResponse(decision, { kind: "Pod", namespace: "prod", name: "web" });
    assert.equal(status?.message, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: a");
  });
}

Deno.test("an ignored error of an admission policy gives no warning", async () => {
  const validations = "failurePolicy: Ignore\nvalidations: [{expression: object.spec.nope == 1}]";
  const warned = async (policy: string) =>
    admissionResponse(await decide({ policy, object: pod({}) }), {
      kind: "Pod",
      namespace: "prod",
      name: "web",
    })
      .warnings;
  const native = `${written("ValidatingAdmissionPolicy", validations)}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [Warn]}
`;
  assert.equal(await warned(native), undefined);
  assert.deepEqual(await warned(written("ValidatingPolicy", `validationActions: [Warn]\n${validations}`)), [
    "Policy p error: error: no such key: nope",
  ]);
});

Deno.test("ValidatingAdmissionPolicy: each binding matches, has parameters and acts separately", async () => {
  const bindings = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: p, paramRef: {name: low}, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, paramRef: {name: high}, validationActions: [Audit], matchResources: {objectSelector: {matchLabels: {app: web}}}}
`;
  const limit = (name: string, max: string): Json => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "prod" },
    data: { max },
  });
  const policy = written(
    "ValidatingAdmissionPolicy",
    "paramKind: {apiVersion: v1, kind: ConfigMap}\nvalidations: [{expression: 'object.spec.replicas <= int(params.data.max)'}]",
    "{apiGroups: [apps], apiVersions: [v1], resources: [deployments]}",
  );
  const resultsFor = async (object: JsonObject) =>
    (await decide({ policy: policy + bindings, object, cluster: [limit("low", "2"), limit("high", "9")] }))
      .results.flatMap(({ rules }) => rules.map(({ result, action }) => `${result} ${action}`));
  assert.deepEqual(await resultsFor(deployment({ replicas: 3 })), ["fail Enforce"]);
  assert.deepEqual(await resultsFor(deployment({ replicas: 3 }, { labels: { app: "web" } })), [
    "fail Enforce",
    "pass Audit",
  ]);
});

for (
  const [kind, property, more] of [
    ["ValidatingAdmissionPolicy", "binding", "validations: [{expression: 'true'}]"],
    [
      "MutatingAdmissionPolicy",
      "mapBinding",
      "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]",
    ],
  ] as const
) {
  Deno.test(`results name the binding of their policy: ${kind}`, async () => {
    const binding = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}Binding
metadata: {name: b}
spec: {policyName: p}
`;
    const named = async (policy: string) => {
      const phase = kind.startsWith("Mutating") ? "mutate" : "validate";
      const { results } = await decide({ policy, object: pod({}), phase });
      return results.flatMap(({ rules }) => rules.map(({ properties }) => properties));
    };
    const policy = written(kind, more);
    assert.deepEqual(await named(policy + binding), [{ [property]: "b" }]);
    assert.deepEqual(await named(policy), [undefined]);
  });
}

Deno.test("admission policies of the API server are not evaluated, unless they are to be served", () => {
  const policy = `${written("ValidatingAdmissionPolicy", named)}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p}
`;
  const admission = (admissionPolicies: "leftToApiServer" | "served") =>
    compile(parseDocuments(policy, "p.yaml").documents, { admissionPolicies }).policies[0]!.policy.admission;
  assert.deepEqual([admission("leftToApiServer"), admission("served")], [false, true]);
});

Deno.test("GeneratingPolicy: applied and templated objects become effects, and deletions once the trigger is gone", async () => {
  const more = `evaluation: {synchronize: {enabled: true}}
variables:
- {name: name, expression: object.metadata.name}
- {name: labels, expression: '{"owner": variables.name}'}
generate:
- expression: 'generator.Apply(object.metadata.namespace, [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": variables.name}}])'
- template:
    interpolate: cel
    value: |
      apiVersion: v1
      kind: Secret
      metadata:
        name: secret-(( variables.name ))
        namespace: other
        labels: (( variables.labels ))
`;
  const policy = written("GeneratingPolicy", more);
  const { results, effects } = await decide({ policy, object: pod({}), phase: "generate" });
  assert.deepEqual(results[0]!.rules.map(({ result, message }) => [result, message]), [
    ["pass", "policy evaluated successfully"],
  ]);
  assert.deepEqual(
    effects.map(({ verb, object }) => {
      const { name, namespace } = object["metadata"] as JsonObject;
      return [verb, object["kind"], namespace, name];
    }),
    [["create", "ConfigMap", "prod", "web"], ["create", "Secret", "other", "secret-web"]],
  );
});

Deno.test("GeneratingPolicy: once the trigger is gone, the worker deletes the objects that the policy generated", async () => {
  const policy = written(
    "GeneratingPolicy",
    `evaluation: {synchronize: {enabled: true}}
generate:
- expression: 'generator.Apply("prod", ["mine", "taken", "other", "gone"].map(n, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": n}}))'
`,
  );
  const owned = {
    "app.kubernetes.io/managed-by": "kyverno",
    "generate.kyverno.io/policy-name": "p",
    "generate.kyverno.io/trigger-uid": "u-web",
  };
  const map = (name: string, labels: JsonObject): Json => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "prod", labels },
  });
  const { effects } = await decide({
    policy,
    oldObject: pod({}, { uid: "u-web" }),
    cluster: [
      map("mine", owned),
      map("taken", { ...owned, "generate.kyverno.io/trigger-uid": "u-db" }),
      map("other", {}),
    ],
    phase: "generate",
  });
  assert.deepEqual(effects.map(({ verb, object }) => [verb, (object["metadata"] as JsonObject)["name"]]), [
    ["delete", "mine"],
  ]);
});

Deno.test("DeletingPolicy: the command line shows the objects to delete, admission evaluates nothing", async () => {
  const policy = (name: string) =>
    written(
      "DeletingPolicy",
      `schedule: '* * * * *'\nconditions: [{name: a, expression: object.metadata.name == '${name}'}]`,
    );
  assert.deepEqual(resultLines(await decide({ policy: policy("web"), object: pod({}) })), [
    "pass resource matched",
  ]);
  assert.deepEqual(resultLines(await decide({ policy: policy("db"), object: pod({}) })), [
    "fail resource did not match",
  ]);
  const { policies } = compile(parseDocuments(policy("web"), "p.yaml").documents);
  assert.equal(policies[0]!.policy.admission, false);
});

Deno.test("kinds that are not supported yet have a diagnostic", () => {
  for (const kind of ["DeletingPolicy", "NamespacedDeletingPolicy"]) {
    const { diagnostics } = compile(parseDocuments(written(kind, ""), "p.yaml").documents);
    const found = diagnostics.filter(({ code }) => code === "not-yet");
    assert.deepEqual(found.map(({ position }) => position?.line), [3], kind);
  }
});

Deno.test("MutatingPolicy: existing objects are changed for a trigger, found by constraints or given by an expression", async () => {
  const map = (name: string, labels: JsonObject): Json => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "prod", labels },
  });
  const resultsFor = async (target: string) => {
    const policy = written(
      "MutatingPolicy",
      `evaluation: {mutateExisting: {enabled: true}}
targetMatchConstraints: ${target}
mutations:
- patchType: ApplyConfiguration
  applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"for": request.name}}}'}
`,
    );
    const cluster = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "prod", labels: { stage: "live" } } },
      map("a", { app: "one" }),
      map("b", { app: "two" }),
    ];
    const { effects } = await decide({ policy, object: pod({}), cluster, phase: "mutateExisting" });
    return effects.map(({ verb, object }) => {
      const { name, labels } = object["metadata"] as JsonObject;
      return [verb, name, (labels as JsonObject)["for"]];
    });
  };
  const maps =
    "resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}]";
  assert.deepEqual(await resultsFor(`{${maps}}`), [["update", "a", "web"], ["update", "b", "web"]]);
  assert.deepEqual(await resultsFor(`{${maps}, objectSelector: {matchLabels: {app: two}}}`), [[
    "update",
    "b",
    "web",
  ]]);
  const inStage = (stage: string) =>
    resultsFor(`{${maps}, namespaceSelector: {matchLabels: {stage: ${stage}}}}`);
  assert.deepEqual(await inStage("live"), [["update", "a", "web"], ["update", "b", "web"]]);
  assert.deepEqual(await inStage("test"), []);
  assert.deepEqual(
    await resultsFor('{expression: \'resource.Get("v1", "configmaps", object.metadata.namespace, "a")\'}'),
    [["update", "a", "web"]],
  );
});

Deno.test("an unknown field of a CEL policy is reported with a suggestion, and the other fields count", async () => {
  const policy = written("ValidatingPolicy", `${named}\nmatchCondition: []`);
  const { diagnostics } = compile(parseDocuments(policy, "p.yaml").documents);
  assert.deepEqual(diagnostics.map(({ severity, code, hint }) => [severity, code, hint]), [
    ["warning", "unknown-field", 'did you mean "matchConditions"?'],
  ]);
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["fail bad name"]);
});
