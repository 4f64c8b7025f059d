/** The admission policies of Kubernetes, with bindings and parameters. */
import assert from "node:assert/strict";
import { compile } from "../../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../../lib/json/mod.ts";
import { admissionResponse } from "../../../lib/report/mod.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";
import { decide, deployment, resultLines } from "./decide.ts";
import { named, pod, written } from "./written_policies.ts";

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

for (const kind of ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"]) {
  Deno.test(`${kind}: match conditions read no Namespace, and skip under failurePolicy Ignore where they fail`, async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "prod" } };
    const phase = kind === "ValidatingAdmissionPolicy" ? "validate" : "mutate";
    const resultsFor = async (expression: string, failurePolicy = "Fail") =>
      resultLines(
        await decide({
          policy: written(
            kind,
            `failurePolicy: ${failurePolicy}\nmatchConditions: [{name: c, expression: "${expression}"}]\n${
              phase === "validate"
                ? "validations: [{expression: 'false', message: a}]"
                : "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]"
            }`,
          ),
          object: pod({}),
          cluster: [namespace],
          phase,
        }),
      );
    assert.deepEqual(await resultsFor("namespaceObject != null"), ["skip match conditions aren't met"]);
    assert.match(
      (await resultsFor("namespaceObject.metadata.name == 'prod'")).join(),
      /^error .*no such key: metadata/,
    );
    assert.deepEqual(await resultsFor("namespaceObject.metadata.name == 'prod'", "Ignore"), [
      "skip match conditions aren't met",
    ]);
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
