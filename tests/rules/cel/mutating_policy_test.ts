/** MutatingPolicies: patches of the request's object and of existing ones. */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../../lib/json/mod.ts";
import { decide, deployment, resultLines } from "./decide.ts";
import { pod, written } from "./written_policies.ts";

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

Deno.test("MutatingPolicy: an audit annotation without a value is an error that quotes its key", async () => {
  const merge =
    "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{metadata: Object.metadata{}}'}}";
  const policy = written(
    "MutatingPolicy",
    `mutations: [${merge}]\nauditAnnotations: [{key: k, valueExpression: object.metadata.gone}]`,
  );
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}), phase: "mutate" })), [
    'error failed to evaluate policy: failed to evaluate auditAnnotation "k": no such key: gone',
  ]);
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
