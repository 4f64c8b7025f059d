/** `--context-file` names the objects that expressions in CEL read. */
import assert from "node:assert/strict";
import { inFolder } from "../cli/in_folder.ts";

const configMap = (name: string): string =>
  `{ apiVersion: v1, kind: ConfigMap, metadata: { name: ${name}, namespace: default }, data: { team: a } }`;

/** A ValidatingPolicy about created objects of a type, with the rest of its spec. */
const validatingPolicy = (name: string, resources: string, rest: string): string => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: ${name} }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [${resources}] }]
${rest}`;

/** A policy about ConfigMaps that wants an empty list. */
const emptyList = (name: string, list: string): string =>
  validatingPolicy(name, "configmaps", `  validations: [{ expression: 'size(${list}.items) == 0' }]\n`);

const files = {
  "policy.yaml": validatingPolicy(
    "team",
    "pods",
    `
  variables:
    - name: names
      expression: resource.List("v1", "configmaps", "default").items.map(i, i.metadata.name)
  validations:
    - expression: object.metadata.labels.team == resource.Get("v1", "configmaps", "default", "limits").data.team
      messageExpression: "variables.names.join(' ')"
`,
  ),
  "list.yaml": emptyList("list", 'resource.List("v1", "pods", "default")'),
  "ingresses.yaml": emptyList("ingresses", 'resource.List("networking.k8s.io/v1", "ingresses", "default")'),
  "objects.yaml": [
    "{ apiVersion: v1, kind: Pod, metadata: { name: good, labels: { team: a } } }",
    "{ apiVersion: v1, kind: Pod, metadata: { name: bad, labels: { team: b } } }",
    configMap("other"),
  ].join("\n---\n"),
  "context.yaml": `
apiVersion: cli.kyverno.io/v1alpha1
kind: Context
metadata: { name: c }
spec: { resources: [${configMap("limits")}] }
`,
};

Deno.test("expressions in CEL read the objects of the context file alone", () =>
  inFolder(files, async (run) => {
    const args = ["apply", "@policy.yaml", "-r", "@objects.yaml", "--target-resource", "@objects.yaml"];
    const { out } = await run(...args, "--context-file", "@context.yaml");
    assert.match(out, /^policy team -> resource default\/Pod\/bad failed:\n1 - {2}limits\n\n/m);
    assert.match(out, /pass: 1, fail: 1, warn: 0, error: 0/);
    assert.match((await run(...args)).out, /pass: 0, fail: 0, warn: 0, error: 2/);
  }));

Deno.test("without a context file, a list says which resource was not found", () =>
  inFolder(files, async (run) => {
    const { out } = await run("apply", "@list.yaml", "-r", "@objects.yaml", "-t", "--detailed-results");
    assert.match(out, /error: failed to list resource: pods resource not found/);
    const ingresses = await run(
      "apply",
      "@ingresses.yaml",
      "-r",
      "@objects.yaml",
      "-t",
      "--detailed-results",
    );
    assert.match(
      ingresses.out,
      /error: failed to list resource: ingresses\.networking\.k8s\.io resource not found/,
    );
  }));
