/** The documents that the command test writes: JSON, YAML, Markdown, JUnit. */
import assert from "node:assert/strict";
import { failing, passing, patched, policy, resources, test } from "./test_folders.ts";

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
  const rows: { RESULT: string; Message: string }[] = JSON.parse(out);
  assert.deepEqual(rows.map(({ RESULT }) => RESULT), ["Pass", "Pass"]);
  assert.match(rows[1]!.Message, /The label team is required/);
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
