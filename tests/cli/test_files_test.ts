/** The files that a test names: exceptions among policies, bindings, payloads of several documents. */
import assert from "node:assert/strict";
import { header, passing, policy, test } from "./test_folders.ts";

const exception = `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: { name: bad, namespace: default }
spec:
  match: { any: [{ resources: { kinds: [Pod], names: [bad] } }] }
  exceptions: [{ policyName: require-team, ruleNames: [team] }]
`;

Deno.test("an exception among the policies of a test does not count", async () => {
  const files = { "policy.yaml": `${policy}---${exception}`, "kyverno-test.yaml": passing };
  const { code, out, err } = await test(files);
  assert.match(out, /Applying 2 policies to 3 resources with 0 exceptions/);
  assert.match(out, /2 tests passed and 0 tests failed/);
  assert.match(err, /unused-exception: .* do not count in a test: name their file under exceptions/);
  assert.equal(code, 0);
});

Deno.test("a policy among the exceptions of a test is an error", async () => {
  const files = {
    "exceptions.yaml": `${exception}---${policy}`,
    "kyverno-test.yaml": `${passing.replace("result: fail", "result: skip")}exceptions: [exceptions.yaml]\n`,
  };
  const { code, out, err } = await test(files);
  assert.match(out, /with 1 exception \.\.\./);
  assert.match(err, /exceptions\.yaml:\d+:\d+: error unknown-kind: "ClusterPolicy" .* is no PolicyException/);
  assert.equal(code, 1);
});

const bound = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: good-names }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
  validations: [{ expression: 'object.metadata.name == "good"' }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: good-names }
spec: { policyName: good-names, validationActions: [Deny] }
`;

Deno.test("test counts policies, and no bindings", async () => {
  const entries = `${header}
- { policy: good-names, isValidatingAdmissionPolicy: true, kind: Pod, resources: [good], result: pass }
- { policy: good-names, isValidatingAdmissionPolicy: true, kind: Pod, resources: [bad], result: fail }
`;
  const { out } = await test({ "policy.yaml": bound, "kyverno-test.yaml": entries });
  assert.match(out, /Applying 1 policy to 3 resources/);
  assert.match(out, /2 tests passed and 0 tests failed/);
});

const list = (text: string): string =>
  `apiVersion: v1\nkind: List\nitems:\n${
    text.trim().split("\n---").map((each) => `- ${each.trim().replaceAll("\n", "\n  ")}\n`).join("")
  }`;

Deno.test("test counts the policies of a list", async () => {
  const { out } = await test({ "policy.yaml": list(policy), "kyverno-test.yaml": passing });
  assert.match(out, /Applying 2 policies to 3 resources/);
  assert.match(out, /2 tests passed and 0 tests failed/);
});

Deno.test("test says that it reads the objects of the cluster", async () => {
  const cluster = `
apiVersion: cli.kyverno.io/v1alpha1
kind: ClusterResource
metadata: { name: cluster }
spec: { resources: [] }
`;
  const entries = `${passing}clusterResources: [cluster.yaml]\n`;
  const { out } = await test({ "cluster.yaml": cluster, "kyverno-test.yaml": entries });
  assert.match(out, /Loading resources \.\.\.\nLoading Kubernetes resources \.\.\.\n {2}Loading exceptions/);
});

const anyJson = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: positive }
spec:
  evaluation: { mode: JSON }
  validations: [{ expression: object.a > 0 }]
`;
const payload = `${header.replace("resources: [resources.yaml]", "jsonPayload: ./payload.yaml")}
- { policy: positive, resources: [NAME], result: pass }
`;

Deno.test("a payload of several documents is an error: one of them alone would be tested", async () => {
  const files = { "policy.yaml": anyJson, "kyverno-test.yaml": payload.replace("NAME", "payload.yaml") };
  const one = await test({ ...files, "payload.yaml": "---\na: 1\n---\n# nothing\n" });
  assert.equal(one.code, 0);
  const two = await test({ ...files, "payload.yaml": "a: 1\n---\na: 0\n" });
  assert.match(two.err, /payload\.yaml:3:1: error .*: A payload is one document/);
  assert.equal(two.code, 1);
});

Deno.test("a payload that is missing is one error", async () => {
  const files = { "policy.yaml": anyJson, "kyverno-test.yaml": payload.replace("NAME", "payload.yaml") };
  const { err } = await test(files);
  assert.match(err, /payload\.yaml:1:1: error missing-file/);
  assert.doesNotMatch(err, /wrong-type/);
});

Deno.test("a payload with another name is suggested as it is written", async () => {
  const files = { "policy.yaml": anyJson, "kyverno-test.yaml": payload.replace("NAME", "./payload.yaml") };
  const { err } = await test({ ...files, "payload.yaml": "a: 1\n" });
  assert.match(err, /did you mean "payload\.yaml"\?/);
});
