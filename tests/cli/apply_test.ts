/** `apply`: options as Kyverno reads them, texts, reports, exit codes. Nothing is green that was not checked. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inFolder as within, type RunInFolder } from "./in_folder.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: require-team }
spec:
  rules:
    - name: team
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate:
        failureAction: Audit
        message: The label team is required.
        pattern: { metadata: { labels: { team: "?*" } } }
`;

const files: Readonly<Record<string, string>> = {
  "policy.yaml": policy,
  "good.yaml": "apiVersion: v1\nkind: Pod\nmetadata: { name: good, labels: { team: shop } }\n",
  "bad.yaml": "apiVersion: v1\nkind: Pod\nmetadata: { name: bad }\n",
  "namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n",
  "array.yaml": "- apiVersion: v1\n  kind: Pod\n",
  "scalar.yaml": "just a text\n",
  "kindless.yaml": "apiVersion: v1\nmetadata: { name: x }\n",
  "broken.yaml":
    "kind: Pod\nmetadata: {name: a\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: b, labels: { team: a } }\n",
  "empty.yaml": "# nothing\n",
  "cleanup.yaml":
    "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: { name: old }\nspec: { schedule: '* * * * *', match: { any: [{ resources: { kinds: [Pod] } }] } }\n",
  "undeclared.yaml": policy.replace("require-team", "undeclared").replace("?*", "{{ nobody.name }}"),
  "mutate.yaml": `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: add-owner }
spec:
  background: false
  rules:
    - name: owner
      match: { any: [{ resources: { kinds: [Pod] } }] }
      mutate: { patchStrategicMerge: { metadata: { labels: { owner: "{{ request.userInfo.username }}" } } } }
`,
  "exception.yaml": `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: { name: leave-bad, namespace: default }
spec:
  match: { any: [{ resources: { kinds: [Pod], names: [bad] } }] }
  exceptions: [{ policyName: require-team, ruleNames: [team, autogen-team] }]
`,
};

/** Runs `apply` on the files; `@name` stands for a file of that name. */
async function inFolder(
  work: (apply: RunInFolder, folder: string) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await within({ ...files, ...more }, (run, folder) => work((...args) => run("apply", ...args), folder));
}

const pass = ["@policy.yaml", "-r", "@good.yaml"];

/** Runs that must not succeed: the arguments, the exit code, and the message. */
const notGreen: [what: string, args: string[], code: number, said: RegExp][] = [
  ["a missing policy", ["@policy.yaml", "@missing.yaml", "-r", "@good.yaml"], 1, /missing-file/],
  ["a kind that is not evaluated", [...pass, "@cleanup.yaml"], 1, /cleanup\.yaml.*ClusterCleanupPolicy/],
  ["an object among the policies", [...pass, "@bad.yaml"], 1, /"Pod" \(v1\) is not a policy/],
  ["an undeclared variable", ["@undeclared.yaml", "-r", "@good.yaml"], 1, /unknown-variable|nobody/],
  [
    "a broken document among good ones",
    ["@policy.yaml", "-r", "@broken.yaml"],
    1,
    /broken\.yaml:\d+:\d+: error invalid-yaml/,
  ],
  [
    "a resource that is a list",
    [...pass, "-r", "@array.yaml"],
    1,
    /array\.yaml:1:1: error no-object: A list is no object/,
  ],
  ["a resource that is a text", [...pass, "-r", "@scalar.yaml"], 1, /"just a text" is no object/],
  ["a resource without a kind", [...pass, "-r", "@kindless.yaml"], 1, /The object has no kind/],
  ["a missing resource file", [...pass, "-r", "@missing.yaml"], 1, /missing-file/],
  ["no object at all", ["@policy.yaml", "-r", "@empty.yaml"], 1, /There was no object to check/],
  ["no policy at all", ["@empty.yaml", "-r", "@good.yaml"], 1, /there are no policies/],
  ["missing values", [...pass, "-f", "@missing.yaml"], 2, /missing\.yaml: There is no such file/],
  ["missing exceptions", [...pass, "-e", "@missing.yaml"], 1, /missing-file/],
  ["missing user information", [...pass, "-u", "@missing.yaml"], 2, /missing\.yaml: There is no such file/],
  [
    "no resources",
    ["@policy.yaml"],
    2,
    /no resources: name files or folders with --resource, or use --cluster/,
  ],
  ["a remote resource", ["@policy.yaml", "-r", "https://example.com/pod.yaml"], 2, /download it first/],
  ["policies and resources from standard input", ["-", "-r", "-"], 2, /policies or resources, not both/],
  ["resources and payloads", [...pass, "--json", "@good.yaml"], 2, /--resource or --json, not both/],
  ["values from a file and from --set", [...pass, "-f", "@good.yaml", "-s", "a=b"], 2, /not from both/],
  ["a value without a name", [...pass, "-s", "novalue"], 0, /--set novalue does not count: it has no name/],
  [
    "an unknown format",
    [...pass, "-o", "sarf=x"],
    2,
    /there is no format "sarf"; did you mean "sarif"\?/,
  ],
  ["two reports on standard output", [...pass, "-o", "sarif=-", "-o", "json=-"], 2, /only one report/],
  [
    "a report that cannot be written",
    [...pass, "-o", "sarif=@policy.yaml/such/folder"],
    2,
    /cannot write to/,
  ],
  [
    "a policy in quotes with a wildcard",
    ["*.yaml", "-r", "@good.yaml"],
    1,
    /\*\.yaml:1:1: error missing-file[^\n]*\n {2}hint: wildcards are not expanded here/,
  ],
  [
    "policies with a comma",
    ["a.yaml,b.yaml", "-r", "@good.yaml"],
    1,
    /missing-file[^\n]*\n {2}hint: paths are separated by spaces here/,
  ],
  [
    "a payload of an HTTP request",
    [...pass, "--http-payload", "x"],
    2,
    /not supported: --http-payload; .*authorization server/,
  ],
  ["schemas of custom resources", [...pass, "--crd-paths", "x"], 2, /not supported: --crd-paths; /],
  [
    "an invalid duration",
    [...pass, "--generate-exceptions", "--generated-exception-ttl", "soon"],
    2,
    /--generated-exception-ttl soon: write a duration, such as 720h or 90m/,
  ],
  [
    "a missing kubeconfig",
    [...pass, "--cluster", "--kubeconfig", "@missing.yaml"],
    2,
    /cannot read kubeconfig/,
  ],
];
for (const [what, args, code, said] of notGreen) {
  Deno.test(`apply does not succeed for ${what}`, () =>
    inFolder(async (apply) => {
      for (const dialect of ["classic", "current"]) {
        const ran = await apply(...args, "--dialect", dialect);
        assert.match(ran.err, said);
        assert.equal(ran.code, code);
      }
    }));
}

Deno.test("apply prints the same text as Kyverno", () =>
  inFolder(async (apply) => {
    const { code, out, err } = await apply(
      "@policy.yaml",
      "-r",
      "@good.yaml,@bad.yaml",
      "-r",
      "@namespace.yaml",
    );
    assert.equal(err, "");
    assert.equal(
      out,
      `
Applying 3 policy rule(s) to 3 resource(s)...
policy require-team -> resource default/Pod/bad failed:
1 - team validation error: The label team is required. rule team failed at path /metadata/labels/

pass: 1, fail: 1, warn: 0, error: 0, skip: 0 `,
    );
    assert.equal(code, 1);
  }));

Deno.test("apply reads the argument after an option's value as a policy", () =>
  inFolder(async (apply) => {
    const { out } = await apply(
      "@mutate.yaml",
      "-r",
      "@good.yaml",
      "@policy.yaml",
      "-s",
      "request.userInfo.username=me",
    );
    assert.match(out, /Applying 6 policy rule\(s\) to 1 resource\(s\)/);
  }));

Deno.test("apply names unusable policies, and their rules have the result error", () =>
  inFolder(async (apply) => {
    const { out, code } = await apply("@undeclared.yaml", "-r", "@good.yaml");
    assert.match(out, /\n-{70}\nPolicies Skipped:\n1\. undeclared: .+\n-{70}\n/);
    assert.match(out, /policy undeclared -> resource default\/Pod\/good error:\n1 - team /);
    assert.match(out, /pass: 0, fail: 0, warn: 0, error: 1, skip: 0 $/);
    assert.equal(code, 1);
  }));

Deno.test("apply --set passes values, and apply prints mutated objects as Kyverno does", () =>
  inFolder(async (apply) => {
    const { out, code } = await apply(
      "@mutate.yaml",
      "-r",
      "@good.yaml",
      "--set",
      "request.userInfo.username=me,other=you",
    );
    assert.equal(code, 0, out);
    assert.match(out, /\npolicy add-owner applied to default\/Pod\/good:\napiVersion: v1\n/);
    assert.match(out, /\n {8}owner: me\n/);
    assert.match(out, /\n---\n\n\nMutation:\nMutation has been applied successfully\.\n/);
  }));

Deno.test("apply --stdin prints objects and nothing else", () =>
  inFolder(async (apply) => {
    const { out, err } = await apply(
      "@mutate.yaml",
      "-r",
      "@good.yaml",
      "--set=request.userInfo.username=me",
      "--stdin",
    );
    assert.match(out, /^apiVersion: v1\nkind: Pod\n[\s\S]*\n---$/);
    assert.match(err, /pass: 1, fail: 0/);
  }));

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

Deno.test("apply says how to give the user whom a rule reads", () =>
  inFolder(async (apply) => {
    const { err } = await apply("@mutate.yaml", "-r", "@good.yaml", "-r", "@bad.yaml");
    assert.match(
      err,
      /^warning not-loaded: Rule "\S+" of policy "add-owner" reads the user of the request, and none is given\n {2}hint: give one with --userinfo [^\n]*$/,
    );
  }));

Deno.test("apply --stdin names what failed on standard error", () =>
  inFolder(async (apply) => {
    const { code, out, err } = await apply("@policy.yaml", "-r", "@bad.yaml", "--stdin");
    assert.match(out, /^apiVersion: v1\nkind: Pod\n[\s\S]*\n---$/);
    assert.match(err, /^policy require-team -> resource default\/Pod\/bad failed:\n1 - team /);
    assert.equal(code, 1);
  }));

Deno.test("apply makes the folders of files for reports and objects", () =>
  inFolder(async (apply, folder) => {
    const { code, err } = await apply(
      "@mutate.yaml",
      "-r",
      "@good.yaml",
      "--set=request.userInfo.username=me",
      "-o",
      `${folder}/made/here/objects.yaml`,
      "-o",
      `sarif=${folder}/made/there/results.sarif`,
    );
    assert.equal(code, 0, err);
    assert.match(await Deno.readTextFile(`${folder}/made/here/objects.yaml`), /owner: me/);
    assert.match(await Deno.readTextFile(`${folder}/made/there/results.sarif`), /"version"/);
  }));

const exceptionCases: [args: string[], skipped: number][] = [
  [["@policy.yaml", "@exception.yaml", "-r", "@bad.yaml"], 0],
  [["@policy.yaml", "@exception.yaml", "-r", "@bad.yaml", "--exceptions-within-policies"], 1],
  [["@policy.yaml", "-r", "@bad.yaml", "-e", "@exception.yaml"], 1],
  [["@policy.yaml", "-r", "@bad.yaml", "--exceptions=@exception.yaml"], 1],
  [["@policy.yaml", "-r", "@bad.yaml,@exception.yaml", "--exceptions-within-resources"], 1],
  [["@policy.yaml", "-r", "@bad.yaml,@exception.yaml", "--exceptions-with-resources=true"], 1],
  [["@policy.yaml", "-r", "@bad.yaml,@exception.yaml", "--exceptions-within-resources=false"], 0],
];
for (const [args, skipped] of exceptionCases) {
  Deno.test(`exceptions: apply ${args.join(" ")} skips ${skipped}`, () =>
    inFolder(async (apply) => {
      const { out } = await apply(...args);
      assert.match(out, new RegExp(`fail: ${1 - skipped}, warn: 0, error: 0, skip: ${skipped} $`));
    }));
}

Deno.test("exceptions that apply generates let the same objects pass", () =>
  inFolder(async (apply, folder) => {
    const { out } = await apply(
      "@policy.yaml",
      "-r",
      "@bad.yaml",
      "--generate-exceptions",
      "--generated-exception-ttl",
      "24h",
    );
    assert.match(out, /cleanup\.kyverno\.io\/ttl: 24h0m0s/);
    await Deno.writeTextFile(join(folder, "made.yaml"), out);
    assert.equal((await apply("@policy.yaml", "-r", "@bad.yaml", "-e", "@made.yaml")).code, 0);
  }));

const codes: [args: string[], code: number][] = [
  [[], 1],
  [["--audit-warn"], 0],
  [["--audit-warn", "--warn-exit-code", "3"], 3],
  [["--audit-warn", "--warn-exit-code=3", "--warn-no-pass"], 3],
  [["--audit-warn=false", "--warn-exit-code", "3"], 1],
];
for (const [args, code] of codes) {
  Deno.test(`a failure of an audit rule with ${args.join(" ") || "no option"} ends with ${code}`, () =>
    inFolder(async (apply) =>
      assert.equal((await apply("@policy.yaml", "-r", "@bad.yaml", ...args)).code, code)
    ));
}

Deno.test("--warn-no-pass uses the code of warnings when nothing passed", () =>
  inFolder(async (apply) => {
    const ran = await apply(
      "@policy.yaml",
      "-r",
      "@namespace.yaml",
      "--warn-no-pass",
      "--warn-exit-code",
      "4",
    );
    assert.equal(ran.code, 4);
    assert.match(ran.out, /skip: 0 \nexit as no objects satisfied policy$/);
  }));

Deno.test("--table shows all results, and messages with --detailed-results", () =>
  inFolder(async (apply) => {
    const { out } = await apply("@policy.yaml", "-r", "@bad.yaml", "-t", "--detailed-results");
    assert.match(out, /│ ID │ POLICY +│ RULE │ RESOURCE +│ RESULT │ REASON │ MESSAGE +│/);
    assert.match(out, /│ 1 +│ require-team │ team │ default\/Pod\/bad │ Fail +│ +│ validation error: /);
  }));

Deno.test("--json applies policies in CEL to payloads, each item of a list for itself", () => {
  const cel = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: small }
spec:
  evaluation: { mode: JSON }
  validations: [{ expression: "object.size < 10", message: too big }]
`;
  return inFolder(async (apply) => {
    const { out, code } = await apply("@cel.yaml", "--json", "@payload.json");
    assert.match(out, /policy small -> resource JSON payload failed:\n1 - .*too big\n/);
    assert.match(out, /pass: 1, fail: 1, /);
    assert.equal(code, 1);
  }, { "cel.yaml": cel, "payload.json": '[{"size": 3}, {"size": 30}]' });
});

const payloadTexts: readonly (readonly [expression: string, json: string, yaml: string])[] = [
  ["object.size + 1 == 4", "error: no such overload", "pass"],
  ["object.size + 1.0 == 4.0", "pass", "error: no such overload"],
  ["object.inner.sizes[0] == 3", "pass", "pass"],
  ["type(object.inner.sizes[0]) == double", "pass", "fail"],
  ["request == null && oldObject == null && namespaceObject == null", "pass", "pass"],
  ["request.operation == 'CREATE'", "error: no such key: operation", "error: no such key: operation"],
];
for (const [expression, json, yaml] of payloadTexts) {
  Deno.test(`--json: ${expression} of a policy in mode JSON`, () => {
    const cel = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: { name: p }\n" +
      `spec: {evaluation: {mode: JSON}, validations: [{expression: ${JSON.stringify(expression)}}]}\n`;
    const payload = '{"size": 3, "metadata": {"namespace": "n"}, "inner": {"sizes": [3]}}';
    return inFolder(async (apply) => {
      for (const [file, expected] of [["payload.json", json], ["payload.yaml", yaml]]) {
        const { out } = await apply("@cel.yaml", "--json", `@${file}`);
        const result = out.includes("pass: 1") ? "pass" : /error: no such .*/.exec(out)?.[0] ?? "fail";
        assert.equal(result, expected, out);
      }
    }, { "cel.yaml": cel, "payload.json": payload, "payload.yaml": payload });
  });
}

Deno.test("--json: on, yes and n of a payload in YAML are texts", () => {
  const expression = "object.on.push == 'yes' && object.list[0] == 'n' && object.list[1] && !object.list[2]";
  const cel = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: { name: p }\n" +
    `spec: {evaluation: {mode: JSON}, validations: [{expression: "${expression}"}]}\n`;
  return inFolder(async (apply) => {
    const { out } = await apply("@cel.yaml", "--json", "@payload.yaml");
    assert.match(out, /pass: 1, fail: 0, warn: 0, error: 0, /);
  }, { "cel.yaml": cel, "payload.yaml": "on: { push: yes }\nlist: [n, True, FALSE]\n" });
});

Deno.test("--json: a payload without fields is checked", () => {
  const cel = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: { name: p }\n" +
    "spec: {evaluation: {mode: JSON}, validations: [{expression: has(object.size), message: no size}]}\n";
  return inFolder(async (apply) => {
    for (const file of ["@payload.json", "@payload.yaml"]) {
      const { out, code } = await apply("@cel.yaml", "--json", file);
      assert.match(out, /policy p -> resource JSON payload failed:\n1 - {2}no size\n/);
      assert.equal(code, 1);
    }
  }, { "cel.yaml": cel, "payload.json": "{}", "payload.yaml": "{}" });
});

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

Deno.test("--table prints more than 10,000 rows in parts with continuous numbers", () => {
  const rules = Array.from({ length: 10 }, (_, index) => ({
    name: `rule-${index}`,
    match: { any: [{ resources: { kinds: ["ConfigMap"] } }] },
    validate: { failureAction: "Audit", message: "no", pattern: { metadata: { name: "?*" } } },
  }));
  const many = {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "many" },
    spec: { rules },
  };
  const objects = Array.from(
    { length: 1_001 },
    (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c${index} }\n`,
  );
  return inFolder(async (apply) => {
    const { out, code } = await apply("@many.json", "-r", "@objects.yaml", "-t");
    assert.equal(code, 0);
    const numbers = [...out.matchAll(/^│ (\d+) +│ many /gm)].map(([, number]) => Number(number));
    assert.deepEqual(numbers, Array.from({ length: 10_010 }, (_, index) => index + 1));
    assert.deepEqual([...out.matchAll(/^│ ID[^│]*│/gm)].map(([heading]) => heading), [
      "│ ID (10000)  │",
      "│ ID    │",
    ]);
  }, { "many.json": JSON.stringify(many), "objects.yaml": objects.join("---\n") });
});

const aboutImages = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: images }
spec:
  rules:
    - name: no-root
      match: { any: [{ resources: { kinds: [Pod] } }] }
      context:
        - name: image
          imageRegistry: { reference: "{{ request.object.spec.containers[0].image }}" }
      validate:
        failureAction: Enforce
        message: images must have a user
        deny: { conditions: { any: [{ key: "{{ image.configData.config.User || '' }}", operator: Equals, value: "" }] } }
`;

Deno.test("apply reads image registries only with --registry", async () => {
  let requests = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    requests++;
    return new Response("none", { status: 404 });
  });
  const pod =
    `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: web, image: "127.0.0.1:${server.addr.port}/web:1" }] }\n`;
  try {
    await inFolder(async (apply) => {
      const without = await apply("@images.yaml", "-r", "@web.yaml", "--dialect", "current");
      // Kyverno parity: what is not loaded counts as not there.
      assert.match(without.out, /failed:\n1 - no-root images must have a user\n/);
      assert.equal(requests, 0);
      const withRegistry = await apply("@images.yaml", "-r", "@web.yaml", "--registry");
      assert.match(withRegistry.out, /error:\n1 - no-root /);
      assert.notEqual(requests, 0);
    }, { "images.yaml": aboutImages, "web.yaml": pod });
  } finally {
    await server.shutdown();
  }
});

Deno.test("apply names the images that failed, and counts an image rule once", () => {
  const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: signed
  annotations: { pod-policies.kyverno.io/autogen-controllers: none }
spec:
  rules:
    - name: digest
      match: { any: [{ resources: { kinds: [Pod] } }] }
      verifyImages:
        - imageReferences: ["*"]
          failureAction: Enforce
          mutateDigest: false
          verifyDigest: true
          required: false
          attestors: [{ entries: [{ keys: { publicKeys: "-----BEGIN PUBLIC KEY-----\\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8nXRh950IZbRj8Ra/N9sbqOPZrfM\\n5/KAQN0/KjHcorm/J5yctVd7iEcnessRQjU917hmKO6JWVGHpDguIyakZA==\\n-----END PUBLIC KEY-----" } }] }]
`;
  const pod =
    'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: web, image: "127.0.0.1:1/web:1" }] }\n';
  return inFolder(async (apply) => {
    const { out, err } = await apply("@signed.yaml", "-r", "@web.yaml");
    assert.match(out, /Applying 1 policy rule\(s\)/, err);
    assert.match(
      out,
      /policy signed -> resource default\/Pod\/web failed:\n1 - digest missing digest for 127\.0\.0\.1:1\/web:1\n/,
    );
  }, { "signed.yaml": policy, "web.yaml": pod });
});

/** Expressions of an image policy about the payload `{"count": 3}`, and what the policy says. */
const payloadExpressions: readonly (readonly [expression: string, expected: RegExp])[] = [
  ["type(object.count) == double && object.count == 3", /pass: 1/],
  ["object.count + 1 == 4", /failed to evaluate policy: no such overload/],
  ["variables.size + 0.5 == 3.5", /pass: 1/],
  ["request.operation == 'CREATE'", /failed to compile policy: .*undeclared reference to 'request'/],
  ["oldObject == null", /failed to compile policy: .*undeclared reference to 'oldObject'/],
];

for (const [expression, expected] of payloadExpressions) {
  Deno.test(`--json: an image policy has a payload with doubles, and no request: ${expression}`, () => {
    const policy = `apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: { name: images }
spec:
  evaluation: { mode: JSON }
  attestors: [{ name: a, cosign: { key: { data: A } } }]
  variables: [{ name: size, expression: object.count }]
  validations: [{ expression: "${expression}" }]
`;
    return inFolder(async (apply) => {
      const { out } = await apply("@cel.yaml", "--json", "@payload.json");
      assert.match(out, expected);
    }, { "cel.yaml": policy, "payload.json": '{"count": 3}' });
  });
}

Deno.test("--json: an image policy reads the images that it names, not those of containers in a payload", () => {
  const policy = `apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: { name: images }
spec:
  evaluation: { mode: JSON }
  attestors: [{ name: a, cosign: { key: { data: A } } }]
  validationConfigurations: { mutateDigest: false, required: false }
  images: [{ name: base, expression: "[object.base]" }]
  validations: [{ expression: "true" }]
`;
  const payload = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    base: "r.io/base:v1",
    spec: { containers: [{ name: "a", image: "r.io/one:v1" }] },
  });
  return inFolder(async (apply) => {
    const { out } = await apply("@cel.yaml", "--json", "@payload.json");
    assert.match(out, /image r\.io\/base:v1 does not have a digest/);
  }, { "cel.yaml": policy, "payload.json": payload });
});
