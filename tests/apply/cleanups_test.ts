/** `apply` shows the objects that a cleanup policy would delete, with the results that Kyverno's command line gives. */
import assert from "node:assert/strict";
import { inFolder } from "../cli/in_folder.ts";

const pod = (name: string, namespace: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, namespace: ${namespace} }\n---\n`;

const files = {
  "objects.yaml": pod("old", "shop") + pod("new", "shop") + pod("old", "bank") +
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: old, namespace: shop }\n",
  "cluster.yaml": `
apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: { name: sweep }
spec:
  schedule: "* * * * *"
  match: { any: [{ resources: { kinds: [Pod] } }] }
  conditions: { all: [{ key: "{{ target.metadata.name }}", operator: Equals, value: old }] }
`,
  "namespaced.yaml": `
apiVersion: kyverno.io/v2
kind: CleanupPolicy
metadata: { name: sweep-shop, namespace: shop }
spec:
  schedule: "* * * * *"
  match: { any: [{ resources: { kinds: [Pod, ConfigMap] } }] }
  exclude: { any: [{ resources: { names: [new] } }] }
`,
  "labelled.yaml": `
apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: { name: labelled }
spec:
  schedule: "* * * * *"
  match: { any: [{ resources: { kinds: [Pod], namespaceSelector: { matchLabels: { tier: gold } } } }] }
`,
  "broken.yaml": `
apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: { name: broken }
spec:
  schedule: "* * * * *"
  match: { any: [{ resources: { kinds: [Pod] } }] }
  conditions: { all: [{ key: "{{ target.metadata.labels.no }}", operator: Is, value: old }] }
`,
  "subjects.yaml": `
apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: { name: subjects }
spec:
  schedule: "* * * * *"
  match: { any: [{ resources: { kinds: [Pod] }, subjects: [{ kind: User, name: ann }] }] }
`,
  "unresolved.yaml": `
apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: { name: unresolved }
spec:
  schedule: "* * * * *"
  match: { any: [{ resources: { kinds: [Pod] } }] }
  conditions: { all: [{ key: "{{ target.spec.no }}", operator: Equals, value: old }] }
`,
  "values.yaml": `
apiVersion: cli.kyverno.io/v1alpha1
kind: Values
globalValues: { request.operation: DELETE }
namespaceSelector: [{ name: bank, labels: { tier: gold } }]
`,
};

const rows: readonly (readonly [title: string, args: readonly string[], passes: readonly string[]])[] = [
  ["a ClusterCleanupPolicy passes what its conditions select", ["@cluster.yaml"], [
    "shop/Pod/old",
    "bank/Pod/old",
  ]],
  ["a CleanupPolicy passes what it selects in its namespace", ["@namespaced.yaml"], [
    "shop/Pod/old",
    "shop/ConfigMap/old",
  ]],
  ["a cleanup policy about users passes nothing", ["@subjects.yaml"], []],
  ["values give a cleanup the labels of namespaces, and no operation", [
    "@labelled.yaml",
    "-f",
    "@values.yaml",
  ], ["bank/Pod/old"]],
];
for (const [title, args, passes] of rows) {
  Deno.test(`${title}, and fails everything else`, () =>
    inFolder(files, async (run) => {
      const { out, code } = await run("apply", ...args, "-r", "@objects.yaml", "--remove-color");
      assert.match(out, /^\nApplying 1 policy rule\(s\) to 4 resource\(s\)\.\.\.\n/);
      const failed = [
        ...out.matchAll(/^policy \S+ -> resource (\S+) failed:\n1 - \S+ resource did not match$/gm),
      ];
      const all = ["shop/Pod/old", "shop/Pod/new", "bank/Pod/old", "shop/ConfigMap/old"];
      assert.deepEqual(failed.map(([, path]) => path), all.filter((path) => !passes.includes(path)));
      assert.match(out, new RegExp(`pass: ${passes.length}, fail: ${4 - passes.length}, warn: 0, error: 0`));
      assert.equal(code, 1);
    }));
}

Deno.test("a cleanup policy with a mistake is named with its position, and its results are errors", () =>
  inFolder(files, async (run) => {
    const { out, err, code } = await run("apply", "@broken.yaml", "-r", "@objects.yaml");
    assert.match(err, /broken\.yaml:5:1: error \S+: .*"?Is"?/);
    assert.match(out, /pass: 0, fail: 1, warn: 0, error: 3/);
    assert.equal(code, 1);
  }));

Deno.test("the table of a policy that deletes has no rules", () =>
  inFolder(files, async (run) => {
    const { out } = await run("apply", "@cluster.yaml", "-r", "@objects.yaml", "-t");
    assert.match(out, /│ 1 {2}│ sweep {2}│ {6}│ shop\/Pod\/old/);
  }));

Deno.test("in the dialect current, a cleanup policy is no ClusterPolicy that Kyverno refuses", () =>
  inFolder(files, async (run) => {
    const { out } = await run("apply", "@cluster.yaml", "-r", "@objects.yaml", "--dialect", "current");
    assert.match(out, /pass: 2, fail: 2, warn: 0, error: 0/);
  }));

Deno.test("in the dialect current, a variable without a value is an error in the words of cleanup policies", () =>
  inFolder(files, async (run) => {
    const { out } = await run("apply", "@unresolved.yaml", "-r", "@objects.yaml", "--dialect", "current");
    assert.match(out, /^1 - unresolved failed to substitute variables in condition key: failed to resolve /m);
    assert.match(out, /pass: 0, fail: 1, warn: 0, error: 3/);
  }));
