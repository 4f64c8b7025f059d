/** The policies of this repository, each proved by the test beside it. */
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { findTests, type FoundTest, runTest, testRows } from "../../lib/testing/mod.ts";
import { noValues, resourceRequest } from "../../lib/apply/mod.ts";
import { compile, evaluate, type PolicyRequest, type Snapshot } from "../../lib/engine/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { ObjectReviews } from "../../lib/live/mod.ts";
import { denialMessage } from "../../lib/report/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";

const folder = resolve(import.meta.dirname!, "../../policies");
const names = [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory).map(({ name }) => name)
  .sort();

/** Of a cluster that grants every right. */
const objectReviews = new ObjectReviews({
  cluster: {
    call: () => Promise.resolve({ ok: true, status: 201, body: { status: { allowed: true } } }),
    resource: () => Promise.resolve(undefined),
  },
  discovery: { resources: () => Promise.resolve({ ok: true, resources: [] }) },
  accounts: { background: "b", reports: "r", cleanup: "c" },
  compiling: { dialect: "current" },
  exceptionNamespace: "*",
  roomProblem: () => undefined,
});

const annotations = ["title", "category", "severity", "subject", "description"].map((name) =>
  `policies.kyverno.io/${name}`
);

Deno.test("there are at least 25 policies", () => {
  assert.ok(names.length >= 25, `${names.length} policies`);
});

for (const name of names) {
  const file = join(folder, name, `${name}.yaml`);

  Deno.test(`${name} loads without a diagnostic, has its folder's name, and has all annotations`, () => {
    const snapshot = snapshotOf(file);
    assert.deepEqual(snapshot.policies.map(({ policy }) => policy.name), [name]);
    const { policy } = snapshot.policies[0]!;
    assert.deepEqual(annotations.filter((key) => !policy.annotations[key]), []);
  });

  Deno.test(`${name} passes the policy review`, async () => {
    const { value } = parseDocuments(Deno.readTextFileSync(file), file).documents[0]!;
    const parsed = parseReview({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: "u",
        kind: { group: "kyverno.io", version: "v1", kind: "ClusterPolicy" },
        resource: { group: "kyverno.io", version: "v1", resource: "clusterpolicies" },
        operation: "CREATE",
        name,
        userInfo: { username: "admin" },
        object: value,
      },
    });
    assert.ok(parsed.ok);
    const { allowed, status } = await objectReviews.find("/policyvalidate")!(parsed.review.request);
    assert.ok(allowed, JSON.stringify(status));
  });

  for (const dialect of ["classic", "current"] as const) {
    Deno.test(`${name} passes its test in the ${dialect} dialect`, async () => {
      const tests = await testsOf(name);
      assert.ok(tests.length > 0);
      for (const found of tests) {
        const run = await runTest(found, { dialect });
        const { rows, remarks } = await testRows(run, found.test.results);
        assert.ok(rows.length > 0);
        assert.deepEqual(rows.filter(({ result }) => result !== "Pass"), []);
        assert.deepEqual([...run.diagnostics, ...remarks], []);
      }
    });
  }

  Deno.test(`the test of ${name} has a passing and a failing object for each rule`, async () => {
    const [found] = await testsOf(name);
    const [compiled] = snapshotOf(file).policies;
    assert.ok(compiled!.rules.length > 0);
    for (const { rule, type } of compiled!.rules) {
      if (rule.name.startsWith("autogen-")) continue;
      const expected = new Set(
        found!.test.results.filter((each) => each.rule === rule.name).map(({ status }) => status),
      );
      for (const result of resultsOfType(type)) {
        assert.ok(expected.has(result), `${rule.name}: no result ${result}`);
      }
    }
  });
}

/** The results that a test should have. A rule that generates has none about objects that it is not about. */
function resultsOfType(type: string): readonly ("pass" | "fail" | "skip")[] {
  if (type === "validate") return ["fail", "pass"];
  return type === "generate" ? ["pass"] : ["pass", "skip"];
}

for (const name of ["add-default-network-policy", "add-default-quota"]) {
  Deno.test(`${name} generates nothing in namespaces of the system`, async () => {
    const [found] = await testsOf(name);
    const { answers } = await runTest(found!, { dialect: "current" });
    const namespaces = [...answers.values()].flat().map(({ identity, steps }) => [
      identity.name,
      steps.some(({ generated }) => generated.length > 0),
    ]);
    assert.deepEqual(Object.fromEntries(namespaces), { "shop": true, "kube-public": false });
  });
}

Deno.test("require-replicas also limits deployments/scale", async () => {
  const snapshot = snapshotOf(join(folder, "require-replicas", "require-replicas.yaml"));
  const metadata = { name: "web", namespace: "default" };
  const scale = (replicas: number): PolicyRequest => {
    const object = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas } };
    return {
      uid: "u",
      operation: "UPDATE",
      group: "apps",
      version: "v1",
      kind: "Deployment",
      subresource: "scale",
      namespace: "default",
      name: "web",
      object,
      oldObject: { ...object, spec: { replicas: 2 } },
      requester: undefined,
      dryRun: false,
      variable: { object },
    };
  };
  for (const [replicas, result] of [[1, "fail"], [3, "pass"]] as const) {
    const { results } = await evaluate(snapshot, scale(replicas), {
      phase: "validate",
      ports: clusterPorts([]),
    });
    assert.deepEqual(results.flatMap(({ rules }) => rules.map((rule) => rule.result)), [result]);
  }
});

Deno.test("a privileged Pod with the network of its node is denied with the reason", async () => {
  const files = names.map((name) => join(folder, name, `${name}.yaml`));
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: {
      hostNetwork: true,
      containers: [{ name: "web", image: "nginx:latest", securityContext: { privileged: true } }],
    },
  };
  const request = resourceRequest(pod, { policy: "", values: noValues, user: undefined });
  const decision = await evaluate(snapshotOf(...files), request, {
    phase: "validate",
    rules: "admission",
    ports: clusterPorts([]),
  });
  assert.equal(decision.allowed, false);
  const message = denialMessage(decision, request);
  assert.match(message, /resource Pod\/default\/web was blocked due to the following policies/);
  assert.match(message, /disallow-privileged-containers:\n {2}privileged-containers:/);
  assert.match(message, /Privileged containers are not allowed/);
  assert.match(message, /disallow-host-namespaces:\n {2}host-namespaces:/);
});

Deno.test("a Pod within the baseline is admitted", async () => {
  const files = names.map((name) => join(folder, name, `${name}.yaml`));
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "web", image: "nginx:1.29" }] },
  };
  const request = resourceRequest(pod, { policy: "", values: noValues, user: undefined });
  const ports = clusterPorts([]);
  const options = { phase: "validate", rules: "admission", ports } as const;
  assert.equal((await evaluate(snapshotOf(...files), request, options)).allowed, true);
});

function snapshotOf(...files: readonly string[]): Snapshot {
  const read = files.map((file) => parseDocuments(Deno.readTextFileSync(file), file));
  const snapshot = compile(read.flatMap(({ documents }) => documents));
  assert.deepEqual([...read.flatMap(({ diagnostics }) => diagnostics), ...snapshot.diagnostics], []);
  return snapshot;
}

async function testsOf(name: string): Promise<readonly FoundTest[]> {
  const { tests, diagnostics } = await findTests([join(folder, name, ".kyverno-test")], "kyverno-test.yaml");
  assert.deepEqual(diagnostics, []);
  assert.equal(tests.length, 1, "one test beside each policy");
  return tests;
}
