/** Bindings of admission policies of Kubernetes, and their parameters. The API server gave the expected answers. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../lib/json/mod.ts";
import { admissionResponse } from "../../../lib/report/mod.ts";
import { decide, resultLines } from "./decide.ts";

/** A policy about ConfigMaps, with the `paramRef`s of its bindings; one without text has no parameters. */
function written(
  spec: string,
  { kind = "MutatingAdmissionPolicy", bindings = [""], more = "" } = {},
): string {
  const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}]
  ${spec}
`;
  const bound = bindings.map((reference, index) =>
    `---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}Binding
metadata: {name: b${index}}
spec: {policyName: p${more}${reference === "" ? "" : `, paramRef: {${reference}, namespace: prod}`}}
`
  );
  return [policy, ...bound].join("");
}

const parameters = (kind = "ConfigMap") => `paramKind: {apiVersion: v1, kind: ${kind}}`;

/** A mutation that sets the label `n`. */
function label(expression: string): string {
  const object = `Object{metadata: Object.metadata{labels: Object.metadata.labels{n: ${expression}}}}`;
  return `{patchType: ApplyConfiguration, applyConfiguration: {expression: '${object}'}}`;
}

const parameter = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "prod", labels: { limits: "yes" } },
  data,
});

const object: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "object", namespace: "prod", labels: { n: "0" } },
};

const all = "selector: {matchLabels: {limits: 'yes'}}, parameterNotFoundAction: Deny";
const append = (text: string): string => label(`object.metadata.labels.n + ${text}`);
const divides = label("string(1 / 0)");

/** A policy, the label that it leaves, and its results. */
const mutations: readonly (readonly [
  title: string,
  policy: string,
  left: string,
  results: readonly string[],
])[] = [
  [
    "each parameter of a selector changes what the one before left",
    written(`${parameters()}\n  mutations: [${append("params.metadata.name")}]`, { bindings: [all] }),
    "0ab",
    ["pass mutation is successfully applied"],
  ],
  [
    "match conditions read the parameter, and the object that the one before left",
    written(
      `${parameters()}\n  matchConditions: [{name: once, expression: 'object.metadata.labels.n == "0"'}]` +
        `\n  mutations: [${append("params.metadata.name")}]`,
      { bindings: [all] },
    ),
    "0a",
    ["pass mutation is successfully applied"],
  ],
  [
    "under failurePolicy Ignore the mutations that do not fail count",
    written(`failurePolicy: Ignore\n  mutations: [${append('"1"')}, ${divides}, ${append('"2"')}]`),
    "012",
    ["pass mutation is successfully applied", "error division by zero"],
  ],
  [
    "under failurePolicy Ignore the parameters that do not fail count",
    written(`failurePolicy: Ignore\n  ${parameters()}\n  mutations: [${append("params.data.text")}]`, {
      bindings: [all],
    }),
    "0B",
    ["pass mutation is successfully applied", "error no such key: text"],
  ],
  [
    "under failurePolicy Ignore a binding without parameters leaves the others",
    written(`failurePolicy: Ignore\n  ${parameters()}\n  mutations: [${append("params.metadata.name")}]`, {
      bindings: ["name: a", "name: gone, parameterNotFoundAction: Deny"],
    }),
    "0a",
    [
      "pass mutation is successfully applied",
      'error failed to configure binding: configmaps "gone" not found',
    ],
  ],
  [
    "under failurePolicy Fail a mutation that fails changes nothing",
    written(`mutations: [${append('"1"')}, ${divides}]`),
    "0",
    ["error division by zero"],
  ],
  [
    "when no mutation changes anything, the error is the result",
    written(`failurePolicy: Ignore\n  mutations: [${divides}]`),
    "0",
    ["error division by zero"],
  ],
];

for (const [title, policy, left, results] of mutations) {
  Deno.test(`MutatingAdmissionPolicy: ${title}`, async () => {
    const cluster = [parameter("a"), parameter("b", { text: "B" })];
    const decision = await decide({ policy, object, cluster, phase: "mutate" });
    assert.deepEqual(resultLines(decision), results);
    assert.deepEqual(decision.object?.["metadata"], {
      ...object["metadata"] as JsonObject,
      labels: { n: left },
    });
    assert.equal(
      decision.allowed,
      policy.includes("Ignore") || results.every((each) => each.startsWith("pass")),
    );
  });
}

const fails = "validations: [{expression: 'false'}]";
const missing = 'error failed to configure binding: configmaps "gone" not found';
const unserved =
  "error failed to configure binding: failed to find resource referenced by paramKind: 'v1, Kind=Gadget'";

/** A policy without the parameters that it needs, and whether a request is denied. */
const unbound: readonly (readonly [title: string, policy: string, denies: boolean, result: string])[] = [
  ["that denies", `${parameters()}\n  ${fails}`, true, missing],
  ["under failurePolicy Ignore", `failurePolicy: Ignore\n  ${parameters()}\n  ${fails}`, false, missing],
  ["of a kind that is not served", `${parameters("Gadget")}\n  ${fails}`, true, unserved],
];

for (const action of ["Deny", "Audit", "Warn"]) {
  for (const [title, spec, denies, result] of unbound) {
    Deno.test(`ValidatingAdmissionPolicy: a binding without parameters ${title}, with the action ${action}`, async () => {
      const policy = written(spec, {
        kind: "ValidatingAdmissionPolicy",
        bindings: ["name: gone, parameterNotFoundAction: Deny"],
        more: `, validationActions: [${action}]`,
      });
      const decision = await decide({ policy, object });
      assert.deepEqual(resultLines(decision), [result]);
      assert.equal(decision.allowed, !denies);
      const { status } = admissionResponse(decision, {
        kind: "ConfigMap",
        namespace: "prod",
        name: "object",
      });
      const message = `ValidatingAdmissionPolicy 'p' with binding 'b0' denied request: ${
        result.replace("error ", "")
      }`;
      assert.equal(status?.message, denies ? message : undefined);
    });
  }
}

Deno.test("ValidatingAdmissionPolicy: parameters of a kind that is not served are an error, also with Allow", async () => {
  const policy = written(`${parameters("Gadget")}\n  ${fails}`, {
    kind: "ValidatingAdmissionPolicy",
    bindings: ["name: gone, parameterNotFoundAction: Allow"],
    more: ", validationActions: [Deny]",
  });
  assert.deepEqual(resultLines(await decide({ policy, object })), [unserved]);
});
