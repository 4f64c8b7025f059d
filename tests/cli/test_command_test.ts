/** The command test: which tests it finds, its table, its exit code. */
import assert from "node:assert/strict";
import { failing, passing, patched, policy, resources, test } from "./test_folders.ts";

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
