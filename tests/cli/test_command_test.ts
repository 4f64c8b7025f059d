import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { run } from "../../lib/cli/mod.ts";

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
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: add-owner }
spec:
  rules:
    - name: owner
      match: { any: [{ resources: { kinds: [Service] } }] }
      mutate: { patchStrategicMerge: { metadata: { labels: { owner: platform } } } }
`;

const resources = `
apiVersion: v1
kind: Pod
metadata: { name: good, labels: { team: shop } }
---
apiVersion: v1
kind: Pod
metadata: { name: bad }
---
apiVersion: v1
kind: Service
metadata: { name: web }
`;

const patched = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default, labels: { owner: shop } }
`;

const header = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: team }
policies: [policy.yaml]
resources: [resources.yaml]
results:
`;

const passing = `${header}
- { policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }
- { policy: require-team, rule: team, kind: Pod, resources: [bad], result: fail }
`;

const failing = `${header}
- { policy: require-team, rule: team, kind: Pod, resources: [good, bad], result: pass }
- { policy: add-owner, rule: owner, kind: Service, resources: [web], result: pass, patchedResources: patched.yaml }
`;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `postern test` on files in a folder of their own, which texts call `TESTS`. */
async function test(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Outcome> {
  const folder = await Deno.makeTempDir();
  try {
    for (
      const [name, text] of Object.entries({ "policy.yaml": policy, "resources.yaml": resources, ...files })
    ) {
      await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    const lines = { out: [] as string[], err: [] as string[] };
    const terminal = {
      out: (line: string) => void lines.out.push(line),
      err: (line: string) => void lines.err.push(line),
    };
    const code = await run(["test", folder, ...args], terminal);
    const text = (all: readonly string[]): string => all.join("\n").replaceAll(folder, "TESTS");
    return { code, out: text(lines.out), err: text(lines.err) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("test prints a table and a summary, and explains rows that fail", async () => {
  const { code, out, err } = await test({ "kyverno-test.yaml": failing, "patched.yaml": patched });
  assert.equal(
    out,
    `Loading test team ( TESTS/kyverno-test.yaml ) ...
  Loading values/variables ...
  Loading policies ...
  Loading resources ...
  Loading exceptions ...
  Applying 2 policies to 3 resources with 0 exceptions ...
  Checking results ...

│────│──────────────│───────│────────────────────────│────────│─────────────────────│
│ ID │ POLICY       │ RULE  │ RESOURCE               │ RESULT │ REASON              │
│────│──────────────│───────│────────────────────────│────────│─────────────────────│
│ 1  │ require-team │ team  │ v1/Pod/default/good    │ Pass   │ Ok                  │
│ 2  │ require-team │ team  │ v1/Pod/default/bad     │ Fail   │ Want pass, got fail │
│ 3  │ add-owner    │ owner │ v1/Service/default/web │ Fail   │ Resource diff       │
│────│──────────────│───────│────────────────────────│────────│─────────────────────│

require-team / team / v1/Pod/default/bad: Want pass, got fail
  expected: pass
  actual:   fail, validation error: The label team is required. rule team failed at path /metadata/labels/

add-owner / owner / v1/Service/default/web: Resource diff
  - expected
  + actual
      labels:
        app.kubernetes.io/managed-by: kyverno
  -     owner: shop
  +     owner: platform
      name: web
      namespace: default


Test Summary: 1 tests passed and 2 tests failed
`,
  );
  assert.equal(err, "Error: 2 tests failed");
  assert.equal(code, 1);
});

Deno.test("test ends with 0 when all rows pass", async () => {
  const { code, out, err } = await test({ "kyverno-test.yaml": passing });
  assert.match(out, /\nTest Summary: 2 tests passed and 0 tests failed\n$/);
  assert.equal(err, "");
  assert.equal(code, 0);
});

Deno.test("test finds tests in folders that begin with a dot, also under another file name", async () => {
  const moved = passing.replace("policy.yaml", "../policy.yaml").replace(
    "resources.yaml",
    "../resources.yaml",
  );
  const { out } = await test({ ".kyverno-test/mine.yaml": moved }, "--file-name", "mine.yaml");
  assert.match(out, /2 tests passed and 0 tests failed/);
});

Deno.test("test with --fail-only counts all rows and shows the failing ones", async () => {
  const { code, out } = await test({ "kyverno-test.yaml": failing, "patched.yaml": patched }, "--fail-only");
  assert.match(out, /\nTest Summary: 2 out of 3 tests failed\n/);
  assert.match(out, /Aggregated Failed Test Cases : \n│/);
  assert.doesNotMatch(out, /v1\/Pod\/default\/good/);
  assert.equal(code, 1);
});

const selections: readonly [selector: string, summary: string][] = [
  ["policy=require-team", "1 tests passed and 1 tests failed"],
  ["policy=add-*", "0 tests passed and 1 tests failed"],
  ["policy=require-team,resource=good", "1 tests passed and 0 tests failed"],
  ["resource=b*", "0 tests passed and 1 tests failed"],
  ["rule=owner", "0 tests passed and 1 tests failed"],
  ["policy=nothing", "0 tests passed and 0 tests failed"],
];

for (const [selector, summary] of selections) {
  Deno.test(`test -t ${selector} runs the selected results`, async () => {
    const { out } = await test({ "kyverno-test.yaml": failing, "patched.yaml": patched }, "-t", selector);
    assert.ok(out.includes(`Test Summary: ${summary}\n`), out);
  });
}

Deno.test("test refuses a selector that it cannot read", async () => {
  const { code, err } = await test({ "kyverno-test.yaml": passing }, "-t", "colour=red");
  assert.equal(code, 2);
  assert.match(err, /not "colour=red"/);
});

const documents: readonly [format: string, pattern: RegExp][] = [
  ["json", /^\[\n {2}\{\n {4}"ID": 1,\n {4}"POLICY": "require-team",/],
  ["yaml", /^- ID: 1\n {2}POLICY: require-team\n/],
  ["markdown", /^\| ID \| POLICY \| RULE \| RESOURCE \| RESULT \| REASON \|\n\|----\|/],
  [
    "junit",
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites tests="3" failures="2">\n <testsuite name="require-team" tests="2" failures="1" skipped="0">/,
  ],
  [
    "github",
    /^::error file=[^,]*kyverno-test\.yaml,line=\d+,col=\d+,title=require-team\/team::v1\/Pod\/default\/\w+: /,
  ],
  ["sarif", /^\{\n {2}"version": "2\.1\.0",[^]*"ruleId": "require-team\/team",[^]*"startLine": \d+/],
];

for (const [format, pattern] of documents) {
  Deno.test(`test -o ${format} writes one document to standard output and nothing else`, async () => {
    const files = { "kyverno-test.yaml": failing, "patched.yaml": patched };
    const { code, out, err } = await test(files, "-o", format);
    assert.match(out, pattern);
    assert.doesNotMatch(out, /Test Summary/);
    assert.match(err, /Test Summary: 1 tests passed and 2 tests failed/);
    assert.equal(code, 1);
  });
}

Deno.test("test -o json --detailed-results has the messages of rules", async () => {
  const { out } = await test({ "kyverno-test.yaml": passing }, "-o", "json", "--detailed-results");
  const rows: { RESULT: string; MESSAGE: string }[] = JSON.parse(out);
  assert.deepEqual(rows.map(({ RESULT }) => RESULT), ["Pass", "Pass"]);
  assert.match(rows[1]!.MESSAGE, /The label team is required/);
});

Deno.test("test -o junit escapes what XML would read", async () => {
  const files = { "policy.yaml": policy.replace("The label team is required.", "'<a> & \"b\" \\u0001'") };
  const { out } = await test(
    { ...files, "kyverno-test.yaml": failing.replace("patched.yaml", "none.yaml") },
    "-o",
    "junit",
  );
  assert.match(out, /&lt;a&gt; &amp; &quot;b&quot;/);
});

const misspelt: readonly [what: string, entry: string, remark: RegExp, passes: boolean][] = [
  [
    "a policy",
    "{ policy: require-taem, rule: team, kind: Pod, resources: [good], result: pass }",
    /unknown-policy: The test has no policy "require-taem"\n {2}hint: did you mean "require-team"\?/,
    false,
  ],
  [
    "a rule",
    "{ policy: require-team, rule: taem, kind: Pod, resources: [good], result: pass }",
    /unknown-rule: The policy "require-team" has no rule "taem"\n {2}hint: did you mean "team"\?/,
    true,
  ],
  [
    "an object",
    "{ policy: require-team, rule: team, kind: Pod, resources: [good, bda], result: pass }",
    /unknown-resource: The test has no object "bda"\n {2}hint: did you mean "bad"\?/,
    true,
  ],
  [
    "what a rule is about",
    "{ policy: require-team, rule: team, kind: Service, resources: [web], result: fail }",
    /not-applied: Rule "team" has no result for v1\/Service\/default\/web, but fail is expected/,
    true,
  ],
];

for (const [what, entry, remark, passes] of misspelt) {
  Deno.test(`test remarks on ${what} that does not exist, and fails for it when strict`, async () => {
    const files = { "kyverno-test.yaml": `${header}- ${entry}\n` };
    const lenient = await test(files);
    assert.match(lenient.err, remark);
    assert.match(lenient.err, /TESTS\/kyverno-test\.yaml:\d+:\d+: warning /);
    assert.equal(lenient.code, passes ? 0 : 1);
    assert.equal((await test(files, "--strict")).code, 1);
  });
}

const broken: readonly [what: string, text: string, problem: RegExp][] = [
  [
    "an unknown field",
    `${passing}resorces: []\n`,
    /unknown-field: A test has no field "resorces" here\n {2}hint: did you mean "resources"\?/,
  ],
  [
    "an unknown result",
    passing.replace("result: fail", "result: failed"),
    /unknown-result: A result is one of .*, not "failed"/,
  ],
  [
    "the schema without kind and metadata",
    `name: old\n${passing.replace("kind: Test\n", "").replace(/metadata:.*\n/, "")}`,
    /not-a-test/,
  ],
  ["text that is no YAML", "policies: [", /kyverno-test\.yaml:\d+:\d+: error/],
];

for (const [what, text, problem] of broken) {
  Deno.test(`test refuses ${what} and runs the other tests`, async () => {
    const { code, out, err } = await test({ "a/kyverno-test.yaml": text, "kyverno-test.yaml": passing });
    assert.match(err, problem);
    assert.match(out, /2 tests passed and 0 tests failed/);
    assert.equal(code, 1);
  });
}

Deno.test("test fails without tests, and when it selects none", async () => {
  assert.equal((await test({})).code, 1);
  assert.match((await test({})).err, /No test yamls available\nError: nothing was tested/);
  const files = { "kyverno-test.yaml": passing, "policy.yaml": policy, "resources.yaml": resources };
  const none = await test(files, "-t", "policy=other");
  assert.equal(none.code, 1);
  assert.match(none.err, /selector policy=other: no result is about this\nError: nothing was tested/);
});

Deno.test("test says which file checks nothing, and which cannot be read", async () => {
  const files = { "policy.yaml": policy, "resources.yaml": resources };
  const empty = await test({ ...files, "kyverno-test.yaml": passing.replace(/results:[^]*/, "") });
  assert.match(
    empty.err,
    /kyverno-test\.yaml:\d+:\d+: warning empty-test: [^\n]* it has no results\nError: nothing/,
  );
  assert.equal(empty.code, 1);
  const broken = await test({ ...files, "kyverno-test.yaml": `${passing}\n bad: [` });
  assert.match(broken.err, /error invalid-yaml/);
  assert.doesNotMatch(broken.err, /No test yamls available/);
  const older = await test({ ...files, "kyverno-test.yaml": "name: old\nresults: []\n" });
  assert.match(older.err, /error not-a-test: [^\n]*\n {2}hint: `postern fix test --save`/);
});

Deno.test("test fails when a named file is missing, even if all results pass", async () => {
  const files = { "kyverno-test.yaml": passing, "policy.yaml": policy, "resources.yaml": resources };
  const named = passing.replace("[resources.yaml]", "[resources.yaml, missing.yaml]");
  const { code, out, err } = await test({ ...files, "kyverno-test.yaml": named });
  assert.match(out, /2 tests passed and 0 tests failed/);
  assert.match(err, /missing-file/);
  assert.equal(code, 1);
});

Deno.test("test --output writes documents to files beside the table", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    const files = { "kyverno-test.yaml": passing, "policy.yaml": policy, "resources.yaml": resources };
    const outputs = ["junit", "json", "yaml", "markdown"].flatMap((
      format,
    ) => ["--output", `${format}=${folder}/${format}`]);
    const { code, out } = await test(files, ...outputs);
    assert.equal(code, 0);
    assert.match(out, /2 tests passed/);
    assert.match(await Deno.readTextFile(`${folder}/junit`), /^<\?xml[\s\S]*<\/testsuites>\n$/);
    assert.equal(JSON.parse(await Deno.readTextFile(`${folder}/json`)).length, 2);
    assert.match(await Deno.readTextFile(`${folder}/markdown`), /^\| ID \|/);
    assert.match(
      (await test(files, "--output", "html=x")).err,
      /formats are json, yaml, markdown, junit, sarif, github/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("test runs an entry with its operation", async () => {
  const deletion = policy.replace(
    'pattern: { metadata: { labels: { team: "?*" } } }',
    "deny: { conditions: { all: [{ key: '{{ request.operation }}', operator: Equals, value: DELETE }] } }",
  );
  const entries = ["CREATE", "DELETE"].map((operation) =>
    `- { policy: require-team, rule: team, kind: Pod, resources: [good], operation: ${operation}, result: ${
      operation === "DELETE" ? "fail" : "pass"
    } }\n`
  );
  const { out } = await test({ "policy.yaml": deletion, "kyverno-test.yaml": header + entries.join("") });
  assert.match(out, /2 tests passed and 0 tests failed/);
});

Deno.test("test answers API calls and the global context from the test", async () => {
  const loading = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ask }
spec:
  rules:
    - name: ask
      match: { any: [{ resources: { kinds: [Pod] } }] }
      context:
        - { name: allowed, apiCall: { service: { url: "https://example.com/allowed" }, jmesPath: teams } }
        - { name: limit, globalReference: { name: limits, jmesPath: pods } }
      validate:
        failureAction: Audit
        message: "{{ limit }}"
        deny:
          conditions:
            any:
              - { key: "{{ request.object.metadata.labels.team || '' }}", operator: AnyNotIn, value: "{{ allowed }}" }
              - { key: "{{ limit }}", operator: NotEquals, value: 3 }
`;
  const entries = `${header}
- { policy: ask, rule: ask, kind: Pod, resources: [good], result: pass }
- { policy: ask, rule: ask, kind: Pod, resources: [bad], result: fail }
apiCallResponses:
- { url: "https://example.com/allowed", response: { body: { teams: [shop] } } }
globalContextEntries:
- { name: limits, data: { all: { pods: 3 } }, fieldPath: all }
`;
  const { out, err } = await test({ "policy.yaml": loading, "kyverno-test.yaml": entries });
  assert.match(out, /2 tests passed and 0 tests failed/, err);
});

Deno.test("test lets expressions read the objects and images of its context file", async () => {
  const reading = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: read }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
  variables:
    - { name: maps, expression: 'resource.List("v1", "configmaps", "shop").items' }
  validations:
    - expression: 'variables.maps.exists(m, m.kind == "ConfigMap" && m.data.team == object.metadata.?labels.team.orValue(""))'
    - expression: 'image.GetMetadata("example.com/web:1").config.user == "10001"'
`;
  const context = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Context
metadata: { name: context }
spec:
  resources:
    - { apiVersion: v1, kind: ConfigMap, metadata: { name: teams, namespace: shop }, data: { team: shop } }
  images:
    - { image: "example.com/web:1", config: { user: "10001" } }
`;
  const entries = `${header}
- { policy: read, isValidatingPolicy: true, kind: Pod, resources: [good], result: pass }
- { policy: read, isValidatingPolicy: true, kind: Pod, resources: [bad], result: fail }
context: context.yaml
`;
  const files = { "policy.yaml": reading, "context.yaml": context, "kyverno-test.yaml": entries };
  const { out, err } = await test(files);
  assert.match(out, /2 tests passed and 0 tests failed/, out + err);
});

Deno.test("test runs policies of mode JSON on payloads", async () => {
  const reading = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: dockerfile }
spec:
  evaluation: { mode: JSON }
  validations: [{ expression: 'object.Stages.all(stage, stage.Base != "scratch")', message: No scratch. }]
`;
  const entries = `${header.replace("resources: [resources.yaml]", "jsonPayloads: [./a.json, b.json]")}
- { policy: dockerfile, kind: "", resources: [a.json], result: pass }
- { policy: dockerfile, kind: "", resources: [b.json], result: fail }
`;
  const { out, err } = await test({
    "policy.yaml": reading,
    "a.json": '{"Stages": [{"Base": "debian"}]}',
    "b.json": '{"Stages": [{"Base": "scratch"}]}',
    "kyverno-test.yaml": entries,
  });
  assert.match(out, /2 tests passed and 0 tests failed/, out + err);
  assert.match(out, /│ a\.json {3}│/);
});

const checks: readonly [what: string, check: string, summary: string][] = [
  [
    "an assertion that holds",
    "{ match: { resource: { metadata: { name: bad } } }, assert: { status: fail } }",
    "1 tests passed and 0",
  ],
  [
    "an assertion that does not hold",
    "{ match: { resource: { metadata: { name: good } } }, assert: { status: fail } }",
    "0 tests passed and 1",
  ],
  [
    "an assertion that must not hold",
    `{ match: { rule: { name: team } }, error: { "(contains(message, 'nonsense'))": true } }`,
    "2 tests passed and 0",
  ],
  [
    "what holds and must not",
    "{ match: { policy: { metadata: { name: require-team } } }, error: { ruleType: Validation } }",
    "0 tests passed and 2",
  ],
  ["a tree that does not compile", '{ assert: { "(bad[)": true } }', "0 tests passed and 3"],
];

for (const [what, check, summary] of checks) {
  Deno.test(`test checks ${what}`, async () => {
    const text = header.replace("results:", `checks:\n- ${check}`);
    const { out, err } = await test({ "kyverno-test.yaml": text });
    assert.ok(out.includes(`Test Summary: ${summary} tests failed`), out + err);
  });
}
