/** The operation that values give requests: what Kyverno's command line evaluates for it. */
import assert from "node:assert/strict";
import { applyPolicies, readValues, type Values, withSetValues } from "../../lib/apply/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { policies, ports } from "../engine/ports.ts";

const config = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "default" },
  data: { x: "1" },
};

/** The results of a policy as texts: `pass`, `error: message`. */
async function results(policy: string, values: Values): Promise<readonly string[]> {
  const { steps } = await applyPolicies(config as unknown as JsonObject, {
    snapshot: policies(policy, { dialect: "current" }),
    ports: ports(),
    values,
    user: undefined,
    absent: ["downstream"],
  });
  return steps.flatMap(({ rules, generated }) =>
    rules.map(({ result, message, type }) =>
      type === "generate" ? `${result} ${generated.length}` : `${result}: ${message}`
    )
  );
}

const global = (operation: string): Values =>
  readValues({ globalValues: { "request.operation": operation } });
const ofObject = (operation: string): Values =>
  readValues({
    policies: [{ name: "p", resources: [{ name: "a", values: { "request.operation": operation } }] }],
  });
const set = (operation: string): Values =>
  withSetValues(global("CREATE"), [`request.operation=${operation}`]).values;

const cel = (kind: string, group: string, body: string): string =>
  `{apiVersion: ${group}, kind: ${kind}, metadata: {name: p}, spec: {matchConstraints: {resourceRules: [` +
  `{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [configmaps]}]}, ${body}}}`;
const operationAsMessage = "validations: [{expression: 'false', messageExpression: request.operation}]";
const celPolicies = {
  ValidatingPolicy: cel("ValidatingPolicy", "policies.kyverno.io/v1", operationAsMessage),
  ValidatingAdmissionPolicy: cel(
    "ValidatingAdmissionPolicy",
    "admissionregistration.k8s.io/v1",
    operationAsMessage,
  ),
};
const sources = { "the global value": global, "a value for the object": ofObject, "the --set value": set };
const operationsOfCel:
  readonly (readonly [keyof typeof celPolicies, keyof typeof sources, string, string])[] = [
    ["ValidatingPolicy", "the global value", "DELETE", "DELETE"],
    ["ValidatingPolicy", "the global value", "UPDATE", "UPDATE"],
    ["ValidatingPolicy", "the global value", "CONNECT", "CREATE"],
    ["ValidatingPolicy", "a value for the object", "DELETE", "CREATE"],
    ["ValidatingPolicy", "the --set value", "DELETE", "CREATE"],
    ["ValidatingAdmissionPolicy", "the global value", "DELETE", "CREATE"],
    ["ValidatingAdmissionPolicy", "a value for the object", "UPDATE", "CREATE"],
  ];
for (const [kind, source, operation, expected] of operationsOfCel) {
  Deno.test(`a ${kind} with ${source} ${operation} is evaluated for a ${expected}`, async () => {
    assert.deepEqual(await results(celPolicies[kind], sources[source](operation)), [`fail: ${expected}`]);
  });
}

const generating = (operations: string): string =>
  cel(
    "GeneratingPolicy",
    "policies.kyverno.io/v1",
    `generate: [{expression: "generator.Apply('default', [{'kind': dyn('ConfigMap'), 'apiVersion': dyn('v1'), ` +
      `'metadata': dyn({'name': 'made-' + (object == null ? oldObject : object).metadata.name})}])"}]`,
  ).replace("CREATE, UPDATE, DELETE", operations);
const classic = (rule: string, operations = ""): string =>
  "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, match: {any: " +
  `[{resources: {kinds: [ConfigMap]${operations}}}]}, ${rule}}]}}`;
const generate = "generate: {apiVersion: v1, kind: Secret, name: s, namespace: default, data: {}}";
const merge = "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}";
const named = ", operations: [DELETE]";
const unless =
  "preconditions: {all: [{key: '{{ request.operation }}', operator: NotEquals, value: DELETE}]}, ";
const lost = (patched: string): string =>
  `error: failed to unmarshal patched resource: Object 'Kind' is missing in '${patched}'`;

const underDelete: readonly (readonly [name: string, policy: string, expected: readonly string[]])[] = [
  ["a GeneratingPolicy that names DELETE generates", generating("CREATE, DELETE"), ["pass 1"]],
  ["a GeneratingPolicy that does not name DELETE has no result", generating("CREATE, UPDATE"), []],
  ["a generate rule that names DELETE generates", classic(generate, named), ["pass 1"]],
  ["a generate rule that does not name DELETE has no result", classic(generate), []],
  ["a merge has no object to change", classic(merge), [lost('{"metadata":{"labels":{"a":"b"}}}')]],
  [
    "a merge reads the old object",
    classic(merge.replace("a: b", 'a: "{{ request.oldObject.data.x }}"'), named),
    [lost('{"metadata":{"labels":{"a":"1"}}}')],
  ],
  [
    "a JSON patch has no object to change",
    classic(`mutate: {patchesJson6902: '[{"op": "add", "path": "/data/y", "value": "2"}]'}`),
    [lost('{"data":{"y":"2"}}')],
  ],
  ["a mutation with preconditions that do not hold is skipped", classic(unless + merge), [
    "skip: preconditions not met",
  ]],
];
for (const [name, policy, expected] of underDelete) {
  Deno.test(`under DELETE ${name}`, async () => {
    assert.deepEqual(await results(policy, global("DELETE")), expected);
  });
}

Deno.test("under DELETE a skipped mutation leaves the object to the validations", async () => {
  const deny = classic("validate: {message: 'no {{ request.operation }}', deny: {}}").replace(
    "name: p}",
    "name: q}",
  );
  const found = await results(`${classic(unless + merge)}\n---\n${deny}`, global("DELETE"));
  assert.deepEqual(found, ["skip: preconditions not met", "fail: no DELETE"]);
});

for (const [operation, matches] of [["CREATE", true], ["CONNECT", false]] as const) {
  const not = matches ? "" : "not ";
  Deno.test(`a rule about ${operation} is ${not}about a request whose operation is given as CONNECT`, async () => {
    const policy = classic(
      "validate: {message: '{{ request.operation }}', deny: {}}",
      `, operations: [${operation}]`,
    );
    assert.deepEqual(await results(policy, global("CONNECT")), matches ? ["fail: CONNECT"] : []);
  });
}
