/** The other kinds of policies in CEL, and fields that none has. */
import assert from "node:assert/strict";
import { compile } from "../../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../../lib/json/mod.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";
import { decide, resultLines } from "./decide.ts";
import { named, pod, written } from "./written_policies.ts";

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

const templateFaults: readonly (readonly [value: string, fault: string])[] = [
  [
    "a: [{b: x}, {b: (( string(object.spec.none) ))}]",
    'field "data": field "a": item 1: field "b": failed to evaluate placeholder "string(object.spec.none)": ' +
    "no such key: none",
  ],
  [
    "a: x-(( null ))",
    'field "data": field "a": placeholder "null" embedded in a string must evaluate to a scalar, got <nil>; ' +
    "use a whole-value placeholder for structured results",
  ],
  [
    "a: x-(( object.metadata ))",
    'field "data": field "a": placeholder "object.metadata" embedded in a string must evaluate to a scalar, got ' +
    "map[string]interface {}; use a whole-value placeholder for structured results",
  ],
];
for (const [value, fault] of templateFaults) {
  Deno.test(`GeneratingPolicy: a fault in a template names the part of the document: ${value}`, async () => {
    const more = "generate:\n- template:\n    interpolate: cel\n    value: |\n      apiVersion: v1\n" +
      `      kind: ConfigMap\n      metadata: {name: a, namespace: b}\n      data:\n        ${value}\n`;
    const policy = written("GeneratingPolicy", more);
    const { results } = await decide({ policy, object: pod({}), phase: "generate" });
    assert.deepEqual(results[0]!.rules.map(({ result, message }) => [result, message]), [
      ["error", `failed to evaluate policy: failed to render generation template: document 1: ${fault}`],
    ]);
  });
}

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

Deno.test("DeletingPolicy: namespaceObject of a Namespace is the Namespace itself", async () => {
  const spec = `schedule: '* * * * *'
conditions: [{name: a, expression: namespaceObject.metadata.labels.env == 'dev'}]`;
  const policy = written(
    "DeletingPolicy",
    spec,
    "{apiGroups: [''], apiVersions: [v1], resources: [namespaces]}",
  );
  const namespace = (env: string): JsonObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop", labels: { env } },
  });
  assert.deepEqual(resultLines(await decide({ policy, object: namespace("dev") })), [
    "pass resource matched",
  ]);
  assert.deepEqual(resultLines(await decide({ policy, object: namespace("prod") })), [
    "fail resource did not match",
  ]);
});

for (const scope of ["images: ['nginx*']", "allowedValues: [a]"]) {
  Deno.test(`DeletingPolicy: an exception with ${scope} keeps the objects that it matches`, async () => {
    const spec = "schedule: '* * * * *'\nconditions: [{name: a, expression: 'true'}]";
    const exception = (name: string) =>
      `---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: prod}
spec:
  policyRefs: [{name: p, kind: DeletingPolicy}]
  matchConditions: [{name: a, expression: object.metadata.name == '${name}'}]
  ${scope}
`;
    const linesOf = async (name: string) =>
      resultLines(
        await decide({ policy: `${written("DeletingPolicy", spec)}${exception(name)}`, object: pod({}) }),
      );
    assert.deepEqual(await linesOf("web"), ["skip rule is skipped due to policy exception: prod/e"]);
    assert.deepEqual(await linesOf("db"), ["pass resource matched"]);
  });
}

Deno.test("kinds that are not supported yet have a diagnostic", () => {
  for (const kind of ["DeletingPolicy", "NamespacedDeletingPolicy"]) {
    const { diagnostics } = compile(parseDocuments(written(kind, ""), "p.yaml").documents);
    const found = diagnostics.filter(({ code }) => code === "not-yet");
    assert.deepEqual(found.map(({ position }) => position?.line), [3], kind);
  }
});

Deno.test("an unknown field of a CEL policy is reported with a suggestion, and the other fields count", async () => {
  const policy = written("ValidatingPolicy", `${named}\nmatchCondition: []`);
  const { diagnostics } = compile(parseDocuments(policy, "p.yaml").documents);
  assert.deepEqual(diagnostics.map(({ severity, code, hint }) => [severity, code, hint]), [
    ["warning", "unknown-field", 'did you mean "matchConditions"?'],
  ]);
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["fail bad name"]);
});
