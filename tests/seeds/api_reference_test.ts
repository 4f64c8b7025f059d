/** Statements of the API reference about rules: applyRules, failurePolicy, match conditions, conditions, and CEL. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { decide, messages, object, policies, type RequestOptions, results } from "./decide.ts";

const configMap = object(`
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop, labels: {team: a}}
data: {size: "10"}
`);

const severalRules = (applyRules: string) =>
  policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: several}
spec:
  background: false
${applyRules}
  rules:
  - name: other-kind
    match: {resources: {kinds: [Secret]}}
    validate: {message: first, deny: {}}
  - name: skipped
    match: {resources: {kinds: [ConfigMap]}}
    preconditions: {all: [{key: a, operator: Equals, value: b}]}
    validate: {message: second, deny: {}}
  - name: passes
    match: {resources: {kinds: [ConfigMap]}}
    validate: {message: third, pattern: {metadata: {name: settings}}}
  - name: fails
    match: {resources: {kinds: [ConfigMap]}}
    validate: {message: fourth, deny: {}}
`);

const applyRules: [written: string, applied: readonly string[]][] = [
  ["  applyRules: One", ["skipped skip", "passes pass"]],
  ["  applyRules: All", ["skipped skip", "passes pass", "fails fail"]],
  ["", ["skipped skip", "passes pass", "fails fail"]],
];
for (const [written, applied] of applyRules) {
  Deno.test(`applyRules: ${written.trim() || "the default"} applies ${applied.join(", ")}`, async () => {
    assert.deepEqual(await results(severalRules(written), configMap), applied);
  });
}

const erring = (failurePolicy: string) =>
  policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: erring}
spec:
  validationFailureAction: Enforce
  background: false
${failurePolicy}
  rules:
  - name: rule
    match: {resources: {kinds: [ConfigMap]}}
    validate: {message: refused, pattern: {metadata: {name: "{{ request.object.spec.missing }}"}}}
`);

const failurePolicies: [written: string, allowed: boolean][] = [
  ["  failurePolicy: Ignore", true],
  ["  failurePolicy: Fail", false],
  ["", false],
];
for (const [written, allowed] of failurePolicies) {
  Deno.test(`failurePolicy: ${written.trim() || "the default"} ${allowed ? "lets" : "does not let"} an error through`, async () => {
    const decision = await decide(erring(written), configMap);
    assert.deepEqual(decision.results.flatMap(({ rules }) => rules.map(({ result }) => result)), ["error"]);
    assert.equal(decision.allowed, allowed);
  });
}

const denyForms: [form: string, conditions: string][] = [
  ["any", "any: [{key: a, operator: Equals, value: b}, {key: a, operator: Equals, value: a}]"],
  ["all", "all: [{key: a, operator: Equals, value: a}]"],
];
for (const [form, conditions] of denyForms) {
  Deno.test(`deny conditions: ${form}`, async () => {
    assert.deepEqual(await results(denying(`{${conditions}}`), configMap), ["rule fail"]);
  });
}
Deno.test("deny conditions: a direct list is all", async () => {
  const holds = "{key: a, operator: Equals, value: a}", fails = "{key: a, operator: Equals, value: b}";
  assert.deepEqual(await results(denying(`[${holds}, ${holds}]`), configMap), ["rule fail"]);
  assert.deepEqual(await results(denying(`[${holds}, ${fails}]`), configMap), ["rule pass"]);
});

function denying(conditions: string): ReturnType<typeof policies> {
  return policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: denying}
spec:
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [ConfigMap]}}
    validate: {message: refused, deny: {conditions: ${conditions}}}
`);
}

/** A policy that denies when its match conditions hold. */
const conditional = (expression: string) =>
  policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: conditional}
spec:
  background: false
  webhookConfiguration:
    matchConditions:
    - name: my.name/is-it
      expression: ${JSON.stringify(expression)}
  rules:
  - name: rule
    match: {resources: {kinds: [ConfigMap], operations: [CREATE, UPDATE, DELETE]}}
    validate: {message: refused, deny: {}}
`);

const matchConditions: [expression: string, options: RequestOptions, holds: boolean][] = [
  ["object.metadata.name == 'settings'", {}, true],
  ["object.metadata.name == 'other'", {}, false],
  ["object == null", { operation: "DELETE" }, true],
  ["oldObject == null", {}, true],
  ["oldObject.metadata.name == 'settings'", { operation: "UPDATE" }, true],
  ["request.userInfo.username == 'kubernetes-admin'", {}, true],
  ["request.operation == 'CREATE'", {}, true],
];
for (const [expression, options, holds] of matchConditions) {
  Deno.test(`match conditions: ${expression} ${holds ? "holds" : "does not hold"} for ${options.operation ?? "CREATE"}`, async () => {
    assert.equal((await results(conditional(expression), configMap, options)).length, holds ? 1 : 0);
  });
}

/** A rule with a CEL block. */
function cel(block: string): ReturnType<typeof policies> {
  return policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: cel}
spec:
  validationFailureAction: Enforce
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [Gadget, ConfigMap], operations: [CREATE, UPDATE, DELETE]}}
    validate:
      cel:
${block.trim().replace(/^/gm, "        ")}
`);
}

function expression(text: string): ReturnType<typeof policies> {
  return cel(`expressions: [{expression: ${JSON.stringify(text)}}]`);
}

const gadget = object(`
apiVersion: example.com/v1
kind: Gadget
metadata: {name: g, namespace: shop}
namespace: 1
x-prop: 1
redact__d: 1
a.b: 1
c/d: 1
x: 5
`);

const expressions: [text: string, subject: JsonObject, result: string, options?: RequestOptions][] = [
  ["object.metadata.name == 'g'", gadget, "pass"],
  ["object.x > 5", gadget, "fail"],
  ["object.__namespace__ > 0", gadget, "pass"],
  ["object.x__dash__prop > 0", gadget, "pass"],
  ["object.redact__underscores__d > 0", gadget, "pass"],
  ["object.a__dot__b > 0", gadget, "pass"],
  ["object.c__slash__d > 0", gadget, "pass"],
  ["object.apiVersion == 'example.com/v1' && object.kind == 'Gadget'", gadget, "pass"],
  ["oldObject == null", gadget, "pass"],
  ["oldObject.x == 5", gadget, "pass", { operation: "UPDATE" }],
  ["object == null", gadget, "pass", { operation: "DELETE" }],
  ["request.operation == 'CREATE' && request.namespace == 'shop'", gadget, "pass"],
  ["namespaceObject.metadata.labels.stage == 'prod'", gadget, "pass", {
    cluster: [object("{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {stage: prod}}}")],
  }],
];
for (const [text, subject, result, options] of expressions) {
  Deno.test(`CEL: ${text} ${result === "pass" ? "holds" : "does not hold"}`, async () => {
    assert.deepEqual(await results(expression(text), subject, options), [`rule ${result}`]);
  });
}

Deno.test("CEL: variables are evaluated when they are used, by the names that they have", async () => {
  const snapshot = cel(`
variables:
- {name: foo, expression: "object.x + 1"}
- {name: bar, expression: "variables.foo * 2"}
- {name: unused, expression: "object.missing"}
expressions:
- {expression: "variables.foo == 6 && variables.bar == 12"}
`);
  assert.deepEqual(await results(snapshot, gadget), ["rule pass"]);
});

const limit = (name: string, max: number, labels = "{}", namespace = "shop"): JsonObject =>
  object(
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}, labels: ${labels}}, data: {max: "${max}"}}`,
  );

const bounded = (paramRef: string) =>
  cel(`
paramKind: {apiVersion: v1, kind: ConfigMap}
paramRef: ${paramRef}
expressions:
- expression: "object.x < int(params.data.max)"
  messageExpression: "'object.x must be less than max ('+string(params.data.max)+')'"
`);

const parameters: [name: string, paramRef: string, cluster: readonly JsonObject[], result: string][] = [
  ["one that is named", "{name: limit, namespace: shop}", [limit("limit", 6)], "pass"],
  ["one that is named and violated", "{name: limit, namespace: shop}", [limit("limit", 4)], "fail"],
  [
    "one in the object's namespace, when none is named",
    "{name: limit}",
    [limit("limit", 6), limit("limit", 4, "{}", "other")],
    "pass",
  ],
  ["all that a selector selects", "{selector: {matchLabels: {app: g}}}", [
    limit("a", 6, "{app: g}"),
    limit("b", 4, "{app: h}"),
  ], "pass"],
  ["all that a selector selects, of which one is violated", "{selector: {matchLabels: {app: g}}}", [
    limit("a", 6, "{app: g}"),
    limit("b", 4, "{app: g}"),
  ], "fail"],
  ["all of the kind, by a selector without labels", "{selector: {}}", [limit("a", 6), limit("b", 4)], "fail"],
  [
    "none, with parameterNotFoundAction Allow",
    "{name: limit, namespace: shop, parameterNotFoundAction: Allow}",
    [],
    "pass",
  ],
  [
    "none, with parameterNotFoundAction Deny",
    "{name: limit, namespace: shop, parameterNotFoundAction: Deny}",
    [],
    "error",
  ],
  ["none, without parameterNotFoundAction", "{name: limit, namespace: shop}", [], "error"],
];
for (const [name, paramRef, cluster, result] of parameters) {
  Deno.test(`CEL parameters: ${name}: ${result}`, async () => {
    const namespace = object("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
    assert.deepEqual(await results(bounded(paramRef), gadget, { cluster: [namespace, ...cluster] }), [
      `rule ${result}`,
    ]);
  });
}

Deno.test("CEL: messageExpression makes the message", async () => {
  const said = await messages(bounded("{name: limit, namespace: shop}"), gadget, {
    cluster: [limit("limit", 4)],
  });
  assert.match(said[0]!, /object\.x must be less than max \(4\)/);
});

const annotations: [value: string, written: string | undefined][] = [
  ["'count is ' + string(object.x)", "count is 5"],
  ["null", undefined],
  ["''", undefined],
  ["object.x > 1 ? dyn('large') : null", "large"],
  ["object.x > 9 ? dyn('large') : null", undefined],
];
for (const [valueExpression, written] of annotations) {
  Deno.test(`CEL audit annotations: ${valueExpression} is ${written ?? "left out"}`, async () => {
    const snapshot = cel(`
expressions: [{expression: "true"}]
auditAnnotations: [{key: note, valueExpression: ${JSON.stringify(valueExpression)}}]
`);
    const decision = await decide(snapshot, gadget);
    const [rule] = decision.results.flatMap(({ rules }) => rules);
    const values = Object.entries(rule!.auditAnnotations ?? {});
    assert.deepEqual(values, written === undefined ? [] : [["cel/note", written]]);
  });
}

Deno.test("CEL audit annotations: a value of more than 10 kB is cut", async () => {
  const snapshot = cel(`
expressions: [{expression: "true"}]
auditAnnotations: [{key: note, valueExpression: "object.text"}]
`);
  const decision = await decide(snapshot, { ...gadget, text: "a".repeat(20_000) });
  const [rule] = decision.results.flatMap(({ rules }) => rules);
  assert.equal(rule!.auditAnnotations!["cel/note"]!.length, 10 * 1024);
});

const authorized: [text: string, allowed: boolean][] = [
  ["authorizer.group('').resource('pods').namespace('shop').check('create').allowed()", true],
  ["authorizer.group('').resource('pods').namespace('shop').check('delete').allowed()", false],
  ["authorizer.requestResource.check('create').allowed()", true],
];
for (const [text, allowed] of authorized) {
  Deno.test(`CEL: ${text} is ${allowed}`, async () => {
    const cluster = [
      object(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: maker, namespace: shop}
rules: [{apiGroups: [""], resources: [pods, configmaps], verbs: [create]}]
`),
      object(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: makers, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: maker}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}]
`),
    ];
    const options = { cluster, user: { username: "jane", groups: [] } };
    assert.deepEqual(await results(expression(text), configMap, options), [
      `rule ${allowed ? "pass" : "fail"}`,
    ]);
  });
}

const faulty: [what: string, webhook: string, block: string, diagnostics: readonly string[]][] = [
  ["the name of a match condition", "{name: 'my name', expression: 'true'}", "", ["warning bad-name"]],
  ["a match condition that gives no truth", "{name: a, expression: '1'}", "", ["error bad-cel"]],
  [
    "the key of an audit annotation",
    "",
    "auditAnnotations: [{key: 'my key', valueExpression: \"'a'\"}]",
    ["warning bad-name"],
  ],
  [
    "a key of more than 63 bytes",
    "",
    `auditAnnotations: [{key: ${"k".repeat(64)}, valueExpression: "'a'"}]`,
    ["warning bad-name"],
  ],
  [
    "a valueExpression that gives a number",
    "",
    "auditAnnotations: [{key: a, valueExpression: '1'}]",
    ["warning bad-cel"],
  ],
  [
    "a valueExpression of more than 5 kB",
    "",
    `auditAnnotations: [{key: a, valueExpression: "'${"a".repeat(5_200)}'"}]`,
    ["warning bad-name"],
  ],
  [
    "a paramRef with name and selector",
    "",
    "paramKind: {apiVersion: v1, kind: ConfigMap}\nparamRef: {name: a, selector: {}, parameterNotFoundAction: Deny}",
    ["error bad-cel"],
  ],
];
for (const [what, condition, block, diagnostics] of faulty) {
  Deno.test(`bounds of the API: ${what} is a diagnostic`, () => {
    policies(
      `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: faulty}
spec:
  background: false
  webhookConfiguration: {matchConditions: [${condition}]}
  rules:
  - name: rule
    match: {resources: {kinds: [ConfigMap]}}
    validate:
      cel:
        expressions: [{expression: "true"}]
${block.replace(/^/gm, "        ")}
`,
      diagnostics,
    );
  });
}

for (const [selector, copied] of [["app: web", true], ['app: "we*"', false]] as const) {
  Deno.test(`the selector of a cloneList: {${selector}} ${copied ? "selects" : "is no wildcard"}`, async () => {
    const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: copies}
spec:
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [Namespace]}}
    generate:
      namespace: "{{ request.object.metadata.name }}"
      cloneList: {namespace: default, kinds: [v1/Secret], selector: {matchLabels: {${selector}}}}
`);
    const { effects } = await decide(
      snapshot,
      object("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"),
      {
        phase: "generate",
        cluster: [
          object(
            "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default, labels: {app: web}}}",
          ),
        ],
      },
    );
    const made = effects.filter(({ verb }) => verb === "create").map((effect) => effect.object["kind"]);
    assert.deepEqual(made, copied ? ["Secret"] : []);
  });
}
