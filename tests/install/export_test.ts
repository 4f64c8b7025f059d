import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import { exportAdmissionPolicies } from "../../lib/install/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

function exported(rule: string, { spec = "", name = "ports", more = "" } = {}) {
  const text = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: ${name}
  annotations: {pod-policies.kyverno.io/autogen-controllers: none}
spec:
${spec.replace(/^(?=.)/gm, "  ")}
  rules:
  - name: r
${rule.replace(/^(?=.)/gm, "    ")}
${more}
`;
  return exportAdmissionPolicies(compile(parseDocuments(text, "p.yaml").documents).policies);
}

const cel = `validate:
  message: ports
  cel:
    variables: [{name: a, expression: object.spec}]
    expressions: [{expression: has(variables.a)}]
`;
const pods = "match: {any: [{resources: {kinds: [Pod], operations: [CREATE]}}]}\n";

Deno.test("a rule with validate.cel becomes a policy and its binding", () => {
  const { objects, unexported } = exported(pods + cel, { spec: "validationFailureAction: Enforce" });
  assert.deepEqual(unexported, []);
  const labels = { "app.kubernetes.io/managed-by": "postern" };
  assert.deepEqual(objects as Json, [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "cpol-ports", labels },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["pods"],
            operations: ["CREATE"],
          }],
        },
        variables: [{ name: "a", expression: "object.spec" }],
        validations: [{ expression: "has(variables.a)", message: "ports" }],
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: "cpol-ports-binding", labels },
      spec: { policyName: "cpol-ports", validationActions: ["Deny"] },
    },
  ]);
});

const constraints: [match: string, expected: Json][] = [
  [
    "match: {any: [{resources: {kinds: [apps/v1/Deployment, Pod/exec], names: [web]}}]}",
    {
      resourceRules: [{
        apiGroups: ["apps", ""],
        apiVersions: ["v1"],
        resources: ["deployments", "pods/exec"],
        operations: ["CREATE", "UPDATE"],
        resourceNames: ["web"],
      }],
    },
  ],
  [
    "match: {any: [{resources: {kinds: [ConfigMap], operations: [DELETE], namespaces: [a], selector: {matchLabels: {b: c}}}}]}\n" +
    "exclude: {any: [{resources: {namespaces: [d]}}]}",
    {
      resourceRules: [{
        apiGroups: [""],
        apiVersions: ["v1"],
        resources: ["configmaps"],
        operations: ["DELETE"],
      }],
      namespaceSelector: {
        matchExpressions: [
          { key: "kubernetes.io/metadata.name", operator: "In", values: ["a"] },
          { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["d"] },
        ],
      },
      objectSelector: { matchLabels: { b: "c" } },
    },
  ],
];

for (const [match, expected] of constraints) {
  Deno.test(`a rule's match becomes match constraints: ${match}`, () => {
    const { objects, unexported } = exported(`${match}\n${cel}`);
    assert.deepEqual(unexported, []);
    assert.deepEqual((objects[0]!["spec"] as { [name: string]: Json })["matchConstraints"], expected);
  });
}

const refusals: [rule: string, reason: RegExp][] = [
  ["match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: a}]}]}\n", /is about subjects/],
  ["match: {any: [{resources: {kinds: [Pod], names: ['a*']}}]}\n", /wildcards in names/],
  ["match: {any: [{resources: {kinds: ['*']}}]}\n", /wildcards/],
  ["match: {any: [{resources: {kinds: [Widget]}}]}\n", /group of kind "Widget" is unknown/],
  [
    "match: {any: [{resources: {kinds: [Pod], namespaces: [a]}}, {resources: {kinds: [Service]}}]}\n",
    /several match filters/,
  ],
  [`${pods}exclude: {any: [{resources: {kinds: [Pod], namespaces: [a]}}]}\n`, /kinds in a namespace/],
  [`${pods}preconditions: {all: [{key: a, operator: Equals, value: a}]}\n`, /preconditions/],
];

for (const [rule, reason] of refusals) {
  Deno.test(`the export leaves a rule out with the reason ${reason}`, () => {
    const { objects, unexported } = exported(rule + cel);
    assert.deepEqual(objects, []);
    assert.match(unexported[0]!.reason, reason);
  });
}

for (const end of ["-", ".", "b"]) {
  Deno.test(`a long name is shortened to one that Kubernetes accepts: ${end} where it is cut`, () => {
    const name = `${"a".repeat(234)}${end}${"c".repeat(10)}`;
    const { objects } = exported(pods + cel, { name });
    const names = objects.map(({ metadata }) => (metadata as { [name: string]: Json })["name"] as string);
    assert.equal(names.length, 2);
    for (const each of names) assert.match(each, /^(?=.{1,253}$)[a-z0-9]+([.-][a-z0-9]+)*$/);
  });
}

Deno.test("the export ignores rules of other kinds", () => {
  const { objects, unexported } = exported(`${pods}validate: {message: refused, deny: {}}\n`);
  assert.deepEqual([objects, unexported], [[], []]);
});
