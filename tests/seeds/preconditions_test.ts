/** Every example of the documentation of preconditions. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { decide, messages, object, policies, results } from "./decide.ts";

const busybox = object(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: busybox
  labels:
    app: busybox
    color: red
    animal: cow
    food: pizza
    car: jeep
    env: qa
spec:
  replicas: 1
  selector:
    matchLabels:
      app: busybox
  template:
    metadata:
      labels:
        app: busybox
    spec:
      containers:
      - image: busybox:1.28
        name: busybox
        command: ["sleep", "9999"]
`);

function labelled(labels: JsonObject): JsonObject {
  const metadata = busybox["metadata"] as JsonObject;
  return {
    ...busybox,
    metadata: { ...metadata, labels: { ...metadata["labels"] as JsonObject, ...labels } },
  };
}

const anyExample = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: any-all-preconditions
spec:
  validationFailureAction: enforce
  background: false
  rules:
  - name: any-all-rule
    match:
      resources:
        kinds:
        - Deployment
    preconditions:
      any:
      - key: "{{request.object.metadata.labels.color}}"
        operator: Equals
        value: blue
      - key: "{{request.object.metadata.labels.app}}"
        operator: Equals
        value: busybox
    validate:
      message: "Busybox must be used based on this label combination."
      pattern:
        spec:
          template:
            spec:
              containers:
              - name: "*busybox*"
`);

const anyCases: [name: string, labels: JsonObject, result: string][] = [
  ["color=red and app=busybox: one of any is enough", {}, "any-all-rule pass"],
  ["color=blue and another app: the other is enough too", { color: "blue", app: "web" }, "any-all-rule pass"],
  ["neither: the rule is not applied", { app: "web" }, "any-all-rule skip"],
];
for (const [name, labels, result] of anyCases) {
  Deno.test(`preconditions, any: ${name}`, async () => {
    assert.deepEqual(await results(anyExample, labelled(labels)), [result]);
  });
}

Deno.test("preconditions, any: the validation that is performed denies another container", async () => {
  const text = JSON.stringify(busybox).replace('"name":"busybox","command"', '"name":"shell","command"');
  const decision = await decide(anyExample, JSON.parse(text));
  assert.equal(decision.allowed, false);
});

const anyAll = (env: string) =>
  policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: any-all-preconditions
spec:
  validationFailureAction: enforce
  background: false
  rules:
  - name: any-all-rule
    match:
      resources:
        kinds:
        - Deployment
    preconditions:
      any:
      - key: "{{request.object.metadata.labels.color}}"
        operator: Equals
        value: blue
      - key: "{{request.object.metadata.labels.app}}"
        operator: Equals
        value: busybox
      all:
      - key: "{{request.object.metadata.labels.animal}}"
        operator: Equals
        value: cow
      - key: "{{request.object.metadata.labels.env}}"
        operator: Equals
        value: ${env}
    validate:
      message: "Foxes must be used based on this label combination."
      pattern:
        spec:
          template:
            spec:
              containers:
              - name: "*foxes*"
`);

Deno.test("preconditions, any and all: both hold, so the Deployment fails because its name is still busybox", async () => {
  const decision = await decide(anyAll("qa"), busybox);
  assert.equal(decision.allowed, false);
  assert.deepEqual(await messages(anyAll("qa"), busybox), [
    "validation error: Foxes must be used based on this label combination. rule any-all-rule failed at path /spec/template/spec/containers/0/name/",
  ]);
});

Deno.test("preconditions, any and all: one of all does not hold, so the Deployment is created", async () => {
  const decision = await decide(anyAll("prod"), busybox);
  assert.equal(decision.allowed, true);
  assert.deepEqual(await results(anyAll("prod"), busybox), ["any-all-rule skip"]);
});

Deno.test("preconditions, any and all: none of any holds, so the Deployment is created", async () => {
  assert.deepEqual(await results(anyAll("qa"), labelled({ app: "web" })), ["any-all-rule skip"]);
});

/** A rule about anything that always denies when its preconditions hold. */
function deniesWhen(preconditions: string, kinds = "Pod"): ReturnType<typeof policies> {
  return policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: conditional
spec:
  validationFailureAction: enforce
  background: false
  rules:
  - name: rule
    match:
      resources:
        kinds:
        - ${kinds}
    preconditions:
${preconditions.replace(/^/gm, "    ")}
    validate:
      message: "the preconditions hold"
      deny: {}
`);
}

const special = deniesWhen(
  String.raw`- key: "{{request.object.spec.template.metadata.annotations.\"foo.k8s.corp.net/bar\"}}"
  operator: Equals
  value: baz`,
  "Deployment",
);

Deno.test("preconditions: a key with special characters stands in escaped double quotes", async () => {
  const template = (annotations: string): JsonObject =>
    object(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {metadata: {annotations: ${annotations}}}}
`);
  assert.deepEqual(await results(special, template("{foo.k8s.corp.net/bar: baz}")), ["rule fail"]);
  assert.deepEqual(await results(special, template("{foo.k8s.corp.net/bar: other}")), ["rule skip"]);
});

Deno.test("preconditions: several statements without any and all must all hold", async () => {
  const both = deniesWhen(`- {key: "{{request.object.metadata.labels.a}}", operator: Equals, value: "1"}
- {key: "{{request.object.metadata.labels.b}}", operator: Equals, value: "2"}`);
  const pod = (labels: string): JsonObject =>
    object(`{apiVersion: v1, kind: Pod, metadata: {name: p, labels: ${labels}}}`);
  assert.deepEqual(await results(both, pod('{a: "1", b: "2"}')), ["rule fail"]);
  assert.deepEqual(await results(both, pod('{a: "1", b: "3"}')), ["rule skip"]);
});

Deno.test("preconditions: several any blocks in one rule", async () => {
  const blocks = deniesWhen(
    `- any: [{key: "{{request.object.metadata.labels.a}}", operator: Equals, value: "1"}]
- any: [{key: "{{request.object.metadata.labels.b}}", operator: Equals, value: "2"}]`,
  );
  const pod = (labels: string): JsonObject =>
    object(`{apiVersion: v1, kind: Pod, metadata: {name: p, labels: ${labels}}}`);
  assert.deepEqual(await results(blocks, pod('{a: "1", b: "2"}')), ["rule fail"]);
  assert.deepEqual(await results(blocks, pod('{a: "1"}')), ["rule skip"]);
});

/** Key, operator and value as YAML, and whether the condition holds. */
const operators: [condition: string, holds: boolean][] = [
  ["key: a, operator: Equals, value: a", true],
  ["key: a, operator: Equals, value: b", false],
  ["key: a, operator: NotEquals, value: b", true],
  ["key: a, operator: NotEquals, value: a", false],
  ["key: str1, operator: In, value: [str1, str2]", true],
  ["key: str3, operator: In, value: [str1, str2]", false],
  ["key: [str1, str2], operator: In, value: [str1, str2, str3]", true],
  ["key: [str1, str4], operator: In, value: [str1, str2, str3]", false],
  ["key: str3, operator: NotIn, value: [str1, str2]", true],
  ["key: str1, operator: NotIn, value: [str1, str2]", false],
  ["key: [str1, str4], operator: NotIn, value: [str1, str2, str3]", true],
  ["key: [str1, str2], operator: NotIn, value: [str1, str2, str3]", false],
  ["key: 2, operator: GreaterThan, value: 1", true],
  ["key: 1, operator: GreaterThan, value: 1", false],
  ["key: 1, operator: GreaterThanOrEquals, value: 1", true],
  ["key: 0, operator: GreaterThanOrEquals, value: 1", false],
  ["key: 0, operator: LessThan, value: 1", true],
  ["key: 1, operator: LessThan, value: 1", false],
  ["key: 1, operator: LessThanOrEquals, value: 1", true],
  ["key: 2, operator: LessThanOrEquals, value: 1", false],
  ["key: 1h, operator: DurationGreaterThan, value: 30m", true],
  ["key: 1h, operator: DurationGreaterThan, value: 1h", false],
  ["key: 3600, operator: DurationGreaterThanOrEquals, value: 1h", true],
  ["key: 3599, operator: DurationGreaterThanOrEquals, value: 1h", false],
  ["key: 90s, operator: DurationLessThan, value: 2m", true],
  ["key: 2m, operator: DurationLessThan, value: 90", false],
  ["key: 1h30m, operator: DurationLessThanOrEquals, value: 90m", true],
  ["key: 1h31m, operator: DurationLessThanOrEquals, value: 5400", false],
  ['key: "bash:5", operator: Equals, value: "bash:*"', true],
  ['key: "zsh:5", operator: Equals, value: "bash:*"', false],
];
for (const [condition, holds] of operators) {
  Deno.test(`preconditions: {${condition}} ${holds ? "holds" : "does not hold"}`, async () => {
    const pod = object("{apiVersion: v1, kind: Pod, metadata: {name: p}}");
    assert.deepEqual(await results(deniesWhen(`- {${condition}}`), pod), [holds ? "rule fail" : "rule skip"]);
  });
}

// As the documentation writes it; the path leads to a text where containers is no list.
const onImage = policies(
  `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: images}
spec:
  validationFailureAction: enforce
  rules:
  - name: match-on-image
    match:
      resources:
        kinds:
        - Pods
    preconditions:
    - key: "{{request.object.spec.template.spec.containers.image}}"
      operator: Equals
      value: "bash:*"
    validate:
      message: "bash"
      deny: {}
`,
  ["warning misspelt-kind"],
);

for (const [image, result] of [["bash:5.1", "fail"], ["zsh:5.8", "skip"]]) {
  Deno.test(`preconditions: the wildcard bash:* ${result === "fail" ? "matches" : "does not match"} ${image}`, async () => {
    const pod = object(
      `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {template: {spec: {containers: {image: "${image}"}}}}}`,
    );
    assert.deepEqual(await results(onImage, pod), [`match-on-image ${result}`]);
  });
}

/** A rule that generates for Namespaces, as the documentation's; it shows no body. */
const forNamespaces = (name: string, condition: string) =>
  policies(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
  - name: ${name}
    match:
      resources:
        kinds:
        - Namespace
    preconditions:
    - key: "{{serviceAccountName}}"
      ${condition}
    generate:
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      name: owner
      namespace: "{{request.object.metadata.name}}"
      data:
        rules: [{apiGroups: [""], resources: ["*"], verbs: ["*"]}]
`,
    // A background scan has no user: the example is one for requests alone, and does not say so.
    ["warning background-variable"],
  );
const namespace = object("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");

const askers: [user: string, owner: boolean, build: boolean][] = [
  ["system:serviceaccount:ci:build-default", true, true],
  ["system:serviceaccount:ci:build-base", true, true],
  ["system:serviceaccount:ci:deploy", true, false],
  ["kubernetes-admin", false, false],
];
for (const [username, owner, build] of askers) {
  const options = { phase: "generate", user: { username } } as const;
  Deno.test(`preconditions: a request of ${username} is ${owner ? "" : "not "}one of a service account`, async () => {
    const rule = forNamespaces("generate-owner-role", 'operator: NotEquals\n      value: ""');
    const { effects } = await decide(rule, namespace, options);
    assert.deepEqual(effects.map((effect) => effect.object["kind"]), owner ? ["Role"] : []);
  });
  Deno.test(`preconditions: a request of ${username} is ${build ? "" : "not "}one of the build accounts`, async () => {
    const rule = forNamespaces(
      "generate-default-build-role",
      'operator: In\n      value: ["build-default", "build-base"]',
    );
    const { effects } = await decide(rule, namespace, options);
    assert.deepEqual(effects.map((effect) => effect.object["kind"]), build ? ["Role"] : []);
  });
}
