/** The command apply with values of a cluster: ConfigMaps, labels of namespaces, the object before an update. */
import assert from "node:assert/strict";
import { inFolder } from "./apply_files.ts";

const readsConfigMap = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: reads }
spec:
  rules:
  - name: env
    match: { any: [{ resources: { kinds: [Pod] } }] }
    context: [{ name: settings, configMap: { name: settings, namespace: default } }]
    validate: { deny: { conditions: { any: [{ key: "{{ settings.data.env }}", operator: Equals, value: x }] } } }
`;

const settings =
  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, namespace: default }\ndata: { env: y }\n";

const loads: readonly (readonly [what: string, args: readonly string[], warns: boolean])[] = [
  ["nothing", ["@good.yaml"], true],
  ["an object that no rule is about", ["@namespace.yaml"], false],
  ["a value of --set", ["@good.yaml", "--set", "settings.data.env=y"], false],
  ["a values file", ["@good.yaml", "-f", "@values.yaml"], false],
  ["the objects of the cluster", ["@good.yaml", "--cluster-objects", "@settings.yaml"], false],
];
for (const [what, args, warns] of loads) {
  Deno.test(`apply ${warns ? "warns" : "does not warn"} of a ConfigMap that is not loaded, given ${what}`, () =>
    inFolder(async (apply) => {
      const { err } = await apply("@reads.yaml", "-r", ...args);
      const warning =
        /^reads\.yaml:9:15: warning not-loaded: Rule "env" has results without its context entry "settings": no configMap/;
      if (warns) assert.match(err, warning);
      else assert.equal(err, "");
    }, {
      "reads.yaml": readsConfigMap,
      "settings.yaml": settings,
      "values.yaml":
        "policies: [{ name: reads, rules: [{ name: env, values: { settings.data.env: y } }] }]\n",
    }));
}

const inNamespaces = ["a", "b"].map((namespace) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c, namespace: ${namespace} }\n`
).join("---\n");

const describedNamespaces: readonly (readonly [values: string, a: string])[] = [
  ["namespaceSelector: [{ name: a, labels: { env: prod } }]", "a prod none"],
  ["namespaces: [{ metadata: { name: a, labels: { env: prod }, annotations: { k: v } } }]", "a prod v"],
  ["globalValues: { x: y }", "null"],
];
for (const [values, expected] of describedNamespaces) {
  Deno.test(`namespaceObject without a cluster is the Namespace of the values, or null: ${values}`, () => {
    const text = "namespaceObject == null ? 'null' : namespaceObject.metadata.name + ' ' +" +
      " namespaceObject.metadata.?labels.?env.orValue('none') + ' ' +" +
      " namespaceObject.metadata.?annotations.?k.orValue('none')";
    const policy = {
      apiVersion: "policies.kyverno.io/v1",
      kind: "ValidatingPolicy",
      metadata: { name: "p" },
      spec: {
        matchConstraints: {
          resourceRules: [{
            apiGroups: [""],
            apiVersions: ["v1"],
            operations: ["CREATE"],
            resources: ["configmaps"],
          }],
        },
        validations: [{ expression: "false", messageExpression: text }],
      },
    };
    return inFolder(async (apply) => {
      const { out } = await apply("@p.json", "-r", "@objects.yaml", "-f", "@values.yaml");
      assert.deepEqual([...out.matchAll(/^1 - {2}(.*)$/gm)].map(([, message]) => message), [
        expected,
        "null",
      ]);
    }, {
      "p.json": JSON.stringify(policy),
      "objects.yaml": inNamespaces,
      "values.yaml": `apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nmetadata: { name: v }\n${values}\n`,
    });
  });
}

Deno.test("apply with a cluster: a namespaceSelector reads the labels of the cluster's Namespaces", () => {
  const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: p }
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [ConfigMap], namespaceSelector: {matchLabels: {env: prod}}}}]}
      validate: {failureAction: Enforce, message: denied, deny: {}}
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: q }
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {env: prod}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "false", messageExpression: namespaceObject.metadata.labels.env}]
`;
  const namespaces = ["a: prod", "b: dev"].map((each) => each.split(": ")).map(([name, env]) =>
    `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name}, labels: { env: ${env} } }\n`
  ).join("---\n");
  return inFolder(async (apply) => {
    const { out, code } = await apply("@p.yaml", "-r", "@objects.yaml", "--cluster-objects", "@cluster.yaml");
    assert.match(out, /policy p -> resource a\/ConfigMap\/c failed:\n1 - r denied\n/);
    assert.match(out, /policy q -> resource a\/ConfigMap\/c failed:\n1 - {2}prod\n/);
    assert.match(out, /pass: 0, fail: 2, /);
    assert.equal(code, 1);
  }, { "p.yaml": policy, "objects.yaml": inNamespaces, "cluster.yaml": namespaces });
});

const updatedBy: readonly (readonly [who: string, args: readonly string[]])[] = [
  ["nobody", ["-f", "@values.yaml"]],
  ["nobody, by --set", ["--set", "request.operation=UPDATE"]],
  ["a user", ["-f", "@values.yaml", "--userinfo", "@user.yaml"]],
];
for (const [who, args] of updatedBy) {
  Deno.test(`an UPDATE of an object that violated the rule before is skipped: updated by ${who}`, () => {
    const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: p }
spec:
  background: false
  rules:
    - name: plain
      match: {any: [{resources: {kinds: [ConfigMap]}}]}
      validate: {failureAction: Enforce, message: denied, deny: {}}
    - name: strict
      match: {any: [{resources: {kinds: [ConfigMap]}}]}
      validate: {failureAction: Enforce, allowExistingViolations: false, message: denied, deny: {}}
    - name: user
      match: {any: [{resources: {kinds: [ConfigMap]}, subjects: [{kind: User, name: alice}]}]}
      validate: {failureAction: Enforce, message: denied, deny: {}}
`;
    return inFolder(async (apply) => {
      const { out } = await apply("@p.yaml", "-r", "@object.yaml", ...args);
      assert.match(out, /failed:\n1 - strict denied\n2 - user denied\n/);
      assert.match(out, /pass: 0, fail: 2, warn: 0, error: 0, skip: 1 /);
    }, {
      "p.yaml": policy,
      "object.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n",
      "values.yaml": "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nmetadata: { name: v }\n" +
        "globalValues: { request.operation: UPDATE }\n",
      "user.yaml": "apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nmetadata: { name: u }\n" +
        "userInfo: { username: alice }\n",
    });
  });
}
