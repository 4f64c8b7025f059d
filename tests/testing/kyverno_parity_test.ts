/** Behaviour of the `kyverno-test.yaml` runner that exists only because Kyverno's runner has it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findTests, runTest, type TestRows, testRows } from "../../lib/testing/mod.ts";

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: team}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: no team, pattern: {metadata: {labels: {team: "?*"}}}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: stage}
spec:
  rules:
  - name: stage
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: stages, configMap: {name: stages, namespace: default}}]
    validate: {message: no stage, pattern: {metadata: {labels: {stage: "{{ stages.data.first }}"}}}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: owner}
spec:
  rules:
  - name: owner
    match: {any: [{resources: {kinds: [Service]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {owner: a}}}}
---
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: copies}
spec:
  matchConstraints:
    namespaceSelector: {matchExpressions: [{key: none, operator: DoesNotExist}]}
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  matchConditions: [{name: good, expression: object.metadata.name == "good"}]
  generate:
  - expression: |
      generator.Apply("default", [{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"), "metadata": dyn({"name": "made"})}])
---
apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: images}
spec:
  matchConstraints:
    objectSelector: {matchLabels: {team: a}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  matchConditions: [{name: none, expression: object.metadata.name != "good"}]
  attestors: []
  matchImageReferences: [{glob: "*"}]
  validations: [{expression: "true"}]
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: makes}
spec:
  rules:
  - name: widget
    match: {any: [{resources: {kinds: [Service]}}]}
    generate: {apiVersion: example.com/v1, kind: Widget, name: made, namespace: default, data: {spec: {size: 1}}}
  - name: lost
    match: {any: [{resources: {kinds: [Service]}}]}
    generate: {apiVersion: v1, kind: Secret, name: copy, namespace: default, clone: {name: lost, namespace: default}}
---
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: widgets}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [services]}]
  generate:
  - expression: |
      generator.Apply("default", [{
        "apiVersion": dyn("example.com/v1"),
        "kind": dyn("Widget"),
        "metadata": dyn({"name": "made"}),
        "spec": dyn({"size": 1}),
      }])
---
apiVersion: policies.kyverno.io/v1
kind: DeletingPolicy
metadata: {name: gone}
spec:
  schedule: "* * * * *"
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  conditions: [{name: good, expression: object.metadata.name == "good"}]
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: pods-alone}
spec:
  autogen: {podControllers: {controllers: []}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: "true"}]
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: deployments}
spec:
  autogen: {podControllers: {controllers: [deployments, daemonsets, cronjobs]}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: "true"}]
---
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: marks}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  matchConditions: [{name: nobody, expression: object.metadata.name == "nobody"}]
  mutations:
    - patchType: JSONPatch
      jsonPatch: {expression: '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]'}
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: pods}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: 'resource.List("v1", "services", "default").items.size() == 0', message: services}]
`;

const resources = `
{apiVersion: v1, kind: Pod, metadata: {name: good, labels: {team: a, stage: dev}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: bad}}
---
{apiVersion: v1, kind: Pod, metadata: {name: bad, labels: {team: late}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: controller}, spec: {template: {metadata: {}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {}}
`;

const expected = `
{apiVersion: v1, kind: Service, metadata: {name: web, labels: {owner: a, app.kubernetes.io/managed-by: kyverno, generate.kyverno.io/rule-name: r}, annotations: {}}, spec: {selector: null, ports: []}}
`;

/** Runs a test with these results and further fields. */
async function rowsOf(results: string, more = ""): Promise<TestRows> {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    const text = `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: t}
policies: [policies.yaml]
resources: [resources.yaml]
${more}
results: ${results}
`;
    const files = {
      "policies.yaml": policies,
      "resources.yaml": resources,
      "expected.yaml": expected,
      "good.json": '{"metadata": {"name": "good"}}',
      "large.yaml":
        "{apiVersion: example.com/v1, kind: Widget, metadata: {name: made, namespace: default}, spec: {size: 2}}",
      "other.json": '{"metadata": {"name": "other"}}',
    };
    for (const [name, content] of Object.entries({ ...files, "kyverno-test.yaml": text })) {
      await Deno.writeTextFile(join(folder, name), content);
    }
    const { tests: [found], diagnostics } = await findTests([folder], "kyverno-test.yaml");
    assert.deepEqual(diagnostics, []);
    return await testRows(await runTest(found!, { dialect: "current" }), found!.test.results);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const cases: readonly (readonly [title: string, results: string, rows: readonly string[], more?: string])[] =
  [
    [
      "an entry that names no object applies to all objects",
      "[{policy: team, rule: team, kind: Pod, result: fail}]",
      [
        "v1/Pod/default/good team Want fail, got pass",
        "v1/Pod/default/bad team Ok",
        "apps/v1/Deployment/default/controller autogen-team Ok",
        "v1/Service/default/web team Excluded",
      ],
    ],
    [
      "of two objects with one kind and name the first counts",
      "[{policy: team, rule: team, kind: Pod, resources: [bad], result: fail}]",
      ["v1/Pod/default/bad team Ok"],
    ],
    [
      "a rule without a result for an object passes as Excluded",
      "[{policy: team, rule: team, kind: Service, resources: [web], result: fail}]",
      ["v1/Service/default/web team Excluded"],
    ],
    [
      "an entry for a rule includes its autogen rules",
      "[{policy: team, rule: team, kind: Deployment, resources: [controller], result: fail}]",
      ["apps/v1/Deployment/default/controller autogen-team Ok"],
    ],
    [
      "a policy with one resource rule alone has no row about what the rule does not match",
      "[{policy: pods-alone, isValidatingPolicy: true, kind: Service, resources: [web], result: pass}, " +
      "{policy: deployments, isValidatingPolicy: true, kind: Service, resources: [web], result: pass}]",
      ["v1/Service/default/web  Not found", "v1/Service/default/web  Not found"],
    ],
    [
      "a policy about Pods and the controllers of several groups has a row about what it does not match",
      "[{policy: pods, isValidatingPolicy: true, kind: Service, resources: [web], result: fail}, " +
      "{policy: marks, isMutatingPolicy: true, kind: Pod, resources: [good], operation: DELETE, result: pass}]",
      ["v1/Service/default/web  Excluded", "v1/Pod/default/good  Excluded"],
    ],
    [
      "a GeneratingPolicy has no row about what it does not match",
      "[{policy: copies, isGeneratingPolicy: true, kind: Service, resources: [web], result: pass}, " +
      "{policy: copies, isGeneratingPolicy: true, kind: Pod, resources: [bad], result: skip}]",
      ["v1/Service/default/web  Not found", "v1/Pod/default/bad  Not found"],
    ],
    [
      "an ImageValidatingPolicy has no row about what its constraints or conditions leave out",
      "[{policy: images, isImageValidatingPolicy: true, kind: Pod, resources: [good], result: pass}, " +
      "{policy: images, isImageValidatingPolicy: true, kind: Service, resources: [web], result: skip}]",
      ["v1/Pod/default/good  Not found", "v1/Service/default/web  Not found"],
    ],
    [
      "a ClusterPolicy that only generates has no row about what it does not match",
      "[{policy: makes, rule: widget, kind: Pod, resources: [good], result: pass}]",
      ["v1/Pod/default/good widget Not found"],
    ],
    [
      "objects of unknown kinds are generated and compared",
      "[{policy: makes, rule: widget, kind: Service, resources: [web], generatedResource: large.yaml, result: pass}, " +
      "{policy: widgets, isGeneratingPolicy: true, kind: Service, resources: [web], " +
      "generatedResource: large.yaml, result: pass}]",
      [
        "example.com/v1/Widget/default/made widget Resource diff",
        "example.com/v1/Widget/default/made widgets Resource diff",
      ],
    ],
    [
      "a DeletingPolicy has no row about what its constraints leave out",
      "[{policy: gone, isDeletingPolicy: true, kind: Service, resources: [web], result: skip}]",
      ["v1/Service/default/web  Not found"],
    ],
    [
      "a DeletingPolicy is about every payload",
      '[{policy: gone, isDeletingPolicy: true, kind: "", resources: [good.json, other.json], result: fail}]',
      ["good.json gone Want fail, got pass", "other.json gone Ok"],
      "jsonPayloads: [good.json, other.json]",
    ],
    [
      "empty maps, lists and nulls, the labels of generated objects and the label of Kyverno do not count",
      "[{policy: owner, rule: owner, kind: Service, resources: [web], patchedResources: expected.yaml, result: pass}]",
      ["v1/Service/default/web owner Ok"],
    ],
    [
      "without a cluster, values stand in for ConfigMaps",
      "[{policy: stage, rule: stage, kind: Pod, resources: [good], result: pass}]",
      ["v1/Pod/default/good stage Ok"],
      "values: {policies: [{name: stage, rules: [{name: stage, values: {stages.data.first: dev}}]}]}",
    ],
    [
      "without a cluster, expressions in CEL do not see the other objects of the test",
      "[{policy: pods, isValidatingPolicy: true, kind: Pod, resources: [good], result: pass}]",
      ["v1/Pod/default/good  Ok"],
    ],
    [
      "case does not matter in the names of fields",
      "[{Policy: team, RULE: team, kind: Pod, resources: [good], result: pass}]",
      ["v1/Pod/default/good team Ok"],
    ],
  ];

for (const [title, results, rows, more] of cases) {
  Deno.test(`kyverno-test.yaml: ${title}`, async () => {
    const found = await rowsOf(results, more);
    assert.deepEqual(found.rows.map(({ resource, rule, reason }) => `${resource} ${rule} ${reason}`), rows);
  });
}

Deno.test("kyverno-test.yaml: a rule that cannot generate passes with a remark", async () => {
  const { rows, remarks } = await rowsOf(
    "[{policy: makes, rule: lost, kind: Service, resources: [web], generatedResource: large.yaml, result: pass}]",
  );
  assert.deepEqual(rows.map(({ resource, result }) => [resource, result]), [[
    "v1/Service/default/web",
    "Pass",
  ]]);
  assert.deepEqual(remarks.map(({ code, message }) => [code, message]), [[
    "not-compared",
    'Nothing was compared: rule "lost" made no object for v1/Service/default/web: source v1/Secret/default/lost not ' +
    'found: secrets "lost" not found',
  ]]);
});
