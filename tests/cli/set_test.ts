/** `--set name=value`: which values count, and what is said of the others. */
import assert from "node:assert/strict";
import { inFolder } from "./in_folder.ts";

const files = {
  "policy.yaml": `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: p }
spec:
  rules:
    - name: r
      match: { any: [{ resources: { kinds: [ConfigMap] } }] }
      context: [{ name: dict, configMap: { name: d, namespace: default } }]
      validate: { message: "{{ dict.data }} {{ request.object.data }} {{ request.operation }}", deny: {} }
`,
  "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\ndata: { x: one }\n",
};

const settings:
  readonly (readonly [settings: readonly string[], message: string, said: RegExp | undefined])[] = [
    [["dict.data.a=x"], '{"a":"x"} {"x":"one"} CREATE', undefined],
    [[" dict.data.a = x "], '{"a":"x"} {"x":"one"} CREATE', undefined],
    [["dict.data.a=x,dict.data.b=y"], '{"a":"x","b":"y"} {"x":"one"} CREATE', undefined],
    [["dict.data.a=x=y"], '{"a":"x=y"} {"x":"one"} CREATE', undefined],
    [
      ["dict.data.a=x", "dict.data.a=y"],
      '{"a":"x"} {"x":"one"} CREATE',
      /dict\.data\.a=y does not count: dict\.data\.a is set before/,
    ],
    [["dict.data.a="], "validation failed", /--set dict\.data\.a= does not count: it has no value/],
    [["dict"], "validation failed", /--set dict does not count: it has no name/],
    [["=x", "dict.data.a=x"], '{"a":"x"} {"x":"one"} CREATE', /--set =x does not count: it has no name/],
    [
      ["dict.data.a=x", "request.object.data.x=two"],
      '{"a":"x"} {"x":"one"} CREATE',
      /request\.object\.data\.x=two does not count: the object comes from its file/,
    ],
    [
      ["dict.data.a=x", "request.object=two"],
      '{"a":"x"} {"x":"one"} CREATE',
      /request\.object=two does not count/,
    ],
    [["dict.data.a=x", "request=two"], '{"a":"x"} {"x":"one"} CREATE', /request=two does not count/],
  ];
for (const [given, message, said] of settings) {
  Deno.test(`apply with --set ${given.join(" --set ")} says ${message}`, () =>
    inFolder(files, async (run) => {
      const args = given.flatMap((setting) => ["--set", setting]);
      const { out, err } = await run("apply", "@policy.yaml", "-r", "@config.yaml", ...args);
      assert.ok(out.includes(`1 - r ${message}\n`), out);
      if (said !== undefined) assert.match(err, said);
      else assert.equal(err, "");
    }));
}

const celPolicy = (kind: string, version: string): string =>
  `apiVersion: ${version}\nkind: ${kind}\nmetadata: { name: p }\nspec:\n  matchConstraints: { resourceRules: ` +
  '[{ apiGroups: [""], apiVersions: [v1], operations: [CREATE, DELETE], resources: [configmaps] }] }\n' +
  '  validations: [{ expression: "false", messageExpression: request.operation }]\n';
const ignored: readonly (readonly [policy: string, args: readonly string[], said: RegExp])[] = [
  [
    celPolicy("ValidatingPolicy", "policies.kyverno.io/v1"),
    ["--set", "request.operation=DELETE"],
    /does not read the operation of an object or of --set\n {2}hint: write request\.operation into globalValues/,
  ],
  [
    celPolicy("ValidatingPolicy", "policies.kyverno.io/v1"),
    ["-f", "@object.yaml"],
    /does not read the operation of an object/,
  ],
  [
    celPolicy("ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1"),
    ["-f", "@global.yaml"],
    /is evaluated for a CREATE, whatever operation/,
  ],
];
for (const [policy, args, said] of ignored) {
  const kind = /kind: (\w+)/.exec(policy)![1];
  Deno.test(`apply ${args.join(" ")} warns that a ${kind} does not read the operation`, () => {
    const head = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\n";
    return inFolder({
      ...files,
      "cel.yaml": policy,
      "object.yaml":
        `${head}policies: [{ name: p, resources: [{ name: c, values: { request.operation: DELETE } }] }]\n`,
      "global.yaml": `${head}globalValues: { request.operation: DELETE }\n`,
    }, async (run) => {
      const { out, err } = await run("apply", "@cel.yaml", "-r", "@config.yaml", ...args);
      assert.match(out, /1 - \w* CREATE\n/);
      assert.match(err, said);
    });
  });
}
