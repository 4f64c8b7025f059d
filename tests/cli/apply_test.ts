/** The command apply: its texts, and the exit codes of what is not green. */
import assert from "node:assert/strict";
import { inFolder } from "./apply_files.ts";

const pass = ["@policy.yaml", "-r", "@good.yaml"];

/** Runs that must not succeed: the arguments, the exit code, and the message. */
const notGreen: [what: string, args: string[], code: number, said: RegExp][] = [
  ["a missing policy", ["@policy.yaml", "@missing.yaml", "-r", "@good.yaml"], 1, /missing-file/],
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
  ["a resource without apiVersion", [...pass, "-r", "@versionless.yaml"], 1, /The object has no apiVersion/],
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
  ["a resource in a bucket", ["@policy.yaml", "-r", "s3://example.com/pod.yaml"], 2, /download it first/],
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
