/** Policies on objects from files: what Kyverno's command line does there, and a cluster does not. */
import assert from "node:assert/strict";
import {
  applyPolicies,
  documentObjects,
  manifestObjects,
  noValues,
  readValues,
  resourceRequest,
  withSetValues,
} from "../../lib/apply/mod.ts";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import { parseDocuments, parseYaml } from "../../lib/yaml/mod.ts";
import { pod, policies, ports } from "../engine/ports.ts";
import { ScriptedSignatures } from "../rules/verify_images/scripted_signatures.ts";
import { digests, podOf, policy as imagePolicy, script } from "../rules/verify_images/setting.ts";

/** Applies policies to an object as `apply` does without a cluster. */
async function applied(text: string, object: JsonObject = pod()) {
  return await applyPolicies(object, {
    snapshot: policies(text, { dialect: "current" }),
    ports: { ...ports(), signatures: new ScriptedSignatures(script) },
    values: noValues,
    user: undefined,
    absent: ["downstream"],
  });
}

function policy(name: string, rule: string): string {
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, ${rule}}]
`;
}

function mutatingPolicy(name: string, label: string): string {
  return `---
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: 'Object{metadata: Object.metadata{labels: {"${label}": "x"}}}'
`;
}

const labelling = (label: string): string =>
  `mutate: {patchStrategicMerge: {metadata: {labels: {${label}: x}}}}`;
const failing = `mutate: {patchesJson6902: '[{"op": "replace", "path": "/spec/nowhere/x", "value": 1}]'}`;
const labelsOf = (object: JsonObject): readonly string[] =>
  Object.keys(dig(object, "metadata", "labels") ?? {}).sort();

Deno.test("after a failed mutation no validation runs", async () => {
  const text = policy("a", failing) + policy("b", "validate: {message: m, deny: {}}");
  const { results, mutated } = await applied(text);
  assert.equal(mutated, undefined);
  assert.deepEqual(results.map(({ policy: { name } }) => name), ["a"]);
});

Deno.test("apply writes an object once for each policy that mutates it, also without a change", async () => {
  const text = policy("a", labelling("a")) + policy("b", labelling("a")) + policy("c", labelling("c"));
  const { outputs } = await applied(text);
  assert.deepEqual(outputs.map(({ file, object }) => [file, labelsOf(object)]), [
    ["web-mutated", ["a"]],
    ["web-mutated", ["a"]],
    ["web-mutated", ["a", "c"]],
  ]);
});

Deno.test("apply writes MutatingPolicies last, with the changes of all, and a Pod twice for each", async () => {
  const text = mutatingPolicy("a", "a") + mutatingPolicy("b", "b");
  const { outputs } = await applied(text);
  assert.deepEqual(outputs.map(({ object }) => labelsOf(object)), Array(4).fill(["a", "b"]));
});

Deno.test("apply writes an object for a MutatingAdmissionPolicy that selects it, and that can be evaluated", async () => {
  const outputsOf = async (resources: string, path: string, conditions = ""): Promise<number> => {
    const text = `---
apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicy
metadata: {name: m}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [${resources}]}]}
  matchConditions: [${conditions}]
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'replace', path: '${path}', value: 'x'}]"}}]
`;
    return (await applied(text)).outputs.length;
  };
  assert.equal(await outputsOf("pods", "/metadata/name"), 1);
  assert.equal(await outputsOf("pods", "/metadata/name", "{name: no, expression: 'false'}"), 1);
  assert.equal(await outputsOf("pods", "/none/name"), 0);
  assert.equal(await outputsOf("services", "/metadata/name"), 0);
});

Deno.test("image policies see digests from earlier policies, the written files do not have them", async () => {
  const entry =
    '[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [{keys: {publicKeys: A}}]}]}]';
  const text = imagePolicy(entry) + imagePolicy(entry).replace("name: p}", "name: q}");
  const { steps, mutated, outputs } = await applied(text, podOf(["r.io/one:v1"]));
  const images = steps.map(({ object }) => dig(object ?? {}, "spec", "containers"));
  assert.match(JSON.stringify(images[0]), new RegExp(`r.io/one:v1@${digests.one}`));
  assert.doesNotMatch(JSON.stringify([mutated, outputs]), /sha256/);
  const last = steps.findLast(({ rules }) => rules.length > 0)?.object ?? {};
  assert.match(String(dig(last, "metadata", "annotations", "kyverno.io/verify-images-scoped")), /"\/q"/);
  assert.doesNotMatch(
    String(dig(last, "metadata", "annotations", "kyverno.io/verify-images-scoped")),
    /"\/p"/,
  );
});

Deno.test("apply writes no object of a policy with a failed generation", async () => {
  const entry = (name: string) =>
    `{apiVersion: v1, kind: ConfigMap, name: "${name}", namespace: default, data: {}}`;
  const of = async (name: string) => (await applied(policy("g", `generate: ${entry(name)}`))).outputs.length;
  assert.equal(await of("made"), 1);
  const both =
    `generate: {foreach: [{list: "['a']", apiVersion: v1, kind: ConfigMap, name: made, namespace: default, data: {}}, ` +
    `{list: "['b']", apiVersion: v1, kind: ConfigMap, name: "{{ request.object.none }}", namespace: default, data: {}}]}`;
  assert.deepEqual((await applied(policy("g", both))).outputs, []);
});

const documents = (text: string): readonly JsonObject[] =>
  manifestObjects(parseDocuments(text, "objects.yaml").documents);

Deno.test("null labels and annotations in files count as empty", () => {
  const [object] = documents(
    "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: null}, spec: {x: null}}",
  );
  assert.deepEqual([dig(object!, "metadata", "labels"), dig(object!, "spec", "x")], [{}, null]);
});

Deno.test("an object without a namespace in its file is in default, unless its kind has no namespaces", () => {
  const namespaces = documents(
    "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: a}}" +
      "\n---\n{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}",
  ).map((object) => dig(object, "metadata", "namespace"));
  assert.deepEqual(namespaces, ["default", undefined, "default"]);
});

for (
  const [operation, hasObject, hasOldObject] of [
    ["CREATE", true, false],
    ["UPDATE", true, true],
    ["DELETE", false, true],
  ] as const
) {
  Deno.test(
    `the request that ${operation} stands for has ${hasObject ? "the object" : "no object"} and ${
      hasOldObject ? "the old object" : "no old object"
    }`,
    () => {
      const values = readValues({ globalValues: { "request.operation": operation } });
      const made = resourceRequest(pod(), { policy: "p", values, user: undefined });
      assert.deepEqual([made.operation, made.object !== undefined, made.oldObject !== undefined], [
        operation,
        hasObject,
        hasOldObject,
      ]);
      const { object, oldObject, ...rest } = made.variable;
      assert.deepEqual([object !== undefined, oldObject !== undefined], [hasObject, hasOldObject]);
      assert.deepEqual(rest, { namespace: "default", operation });
    },
  );
}

Deno.test("a rule's values apply to its autogen rules, and the first foreach value counts", () => {
  const text = "policies: [{name: p, rules: [{name: r, values: {a.b: 1}, foreachValues: {c: [2, 3]}}]}]";
  const values = readValues(parseYaml(text) as JsonObject);
  for (const rule of ["r", "autogen-r", "autogen-cronjob-r"]) {
    assert.deepEqual(values.forRule("p", rule), { a: { b: 1 }, c: 2 });
  }
  assert.deepEqual(values.forRule("p", "other"), {});
});

Deno.test("a value of --set is text", () => {
  const { values } = withSetValues(noValues, ["request.mode=7"]);
  assert.equal(values.forResource("any", "any").get("request.mode"), "7");
});

Deno.test("a value that is an object is merged", () => {
  const globalValues = {
    "dict.data": { a: "x", b: { c: 1 } },
    "dict.data.b": { d: 2 },
    "request.object": { data: {} },
  };
  const values = readValues({ globalValues });
  const made = resourceRequest({ ...pod(), data: { q: "r" } }, { policy: "p", values, user: undefined });
  assert.deepEqual(dig(made.object!, "data"), { q: "r" });
  const nested = readValues({ policies: [{ name: "p", rules: [{ name: "r", values: globalValues }] }] });
  assert.deepEqual(dig(nested.forRule("p", "r"), "dict", "data"), { a: "x", b: { c: 1, d: 2 } });
});

for (const named of ["team/p", "p"]) {
  Deno.test(`values name a Policy without its namespace, or with it: ${named}`, () => {
    const entry = {
      name: named,
      resources: [{ name: "o", values: { a: 1 } }],
      rules: [{ name: "r", values: { b: 2 } }],
    };
    const values = readValues({ policies: [entry] });
    assert.deepEqual([...values.forResource("team/p", "o")], [["a", 1]]);
    assert.deepEqual(values.forRule("team/p", "r"), { b: 2 });
    assert.deepEqual([...values.forResource("q", "o")], []);
  });
}

Deno.test("the first entry for a rule counts, the last for an object", () => {
  const of = (value: string): JsonObject => ({
    name: "p",
    resources: [{ name: "o", values: { a: value } }],
    rules: [{ name: "r", values: { a: value } }, { name: "r", values: { a: "late" } }],
  });
  const values = readValues({ policies: [{ name: "p" }, of("first"), of("second")] });
  assert.deepEqual(values.forRule("p", "r"), { a: "first" });
  assert.deepEqual([...values.forResource("p", "o")], [["a", "second"]]);
});

Deno.test("a list in a list is opened, and its items have their positions", () => {
  const list = (items: string): string => `{apiVersion: v1, kind: List, items: [${items}]}`;
  const inner = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}";
  const [document] =
    parseDocuments(list(`${list(`${inner},\n  5, ${list("")}`)},\n${inner}`), "l.yaml").documents;
  const { objects, diagnostics } = documentObjects(document!);
  const lines = objects.map((
    { object, positionOf },
  ) => [object["kind"], positionOf?.(["metadata", "name"]).line]);
  assert.deepEqual(lines, [["ConfigMap", 1], ["ConfigMap", 3]]);
  assert.deepEqual(diagnostics.map(({ message, position }) => [message, position?.line]), [[
    "5 is no object",
    2,
  ]]);
  assert.deepEqual(manifestObjects([document!]).map(({ kind }) => kind), ["ConfigMap", "ConfigMap"]);
});
