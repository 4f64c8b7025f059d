import assert from "node:assert/strict";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";
import {
  tableParts,
  testJunit,
  testMarkdown,
  testObjects,
  type TestRow,
  testSarif,
  testTable,
} from "../../lib/report/mod.ts";
import { assertJunit } from "./junit_schema.ts";

const ok: TestRow = {
  policy: "team",
  rule: "label",
  resource: "v1/Pod/shop/web",
  result: "Pass",
  reason: "Ok",
  message: "fine",
  details: [],
};
const failed: TestRow = {
  ...ok,
  resource: "v1/Pod/shop/größe",
  result: "Fail",
  reason: "Want pass, got fail",
  message: "first | line\nsecond <line>",
  details: ["expected: pass"],
};
const skipped: TestRow = { ...ok, result: "Skip", reason: "Invalid Policy", message: "no such field" };

Deno.test("testTable() counts characters, and writes each line of a message on a separate line", () => {
  assert.equal(
    testTable([ok, failed], { detailed: true }),
    `\
│────│────────│───────│───────────────────│────────│─────────────────────│───────────────│
│ ID │ POLICY │ RULE  │ RESOURCE          │ RESULT │ REASON              │ MESSAGE       │
│────│────────│───────│───────────────────│────────│─────────────────────│───────────────│
│ 1  │ team   │ label │ v1/Pod/shop/web   │ Pass   │ Ok                  │ fine          │
│ 2  │ team   │ label │ v1/Pod/shop/größe │ Fail   │ Want pass, got fail │ first | line  │
│    │        │       │                   │        │                     │ second <line> │
│────│────────│───────│───────────────────│────────│─────────────────────│───────────────│`,
  );
});

Deno.test("testTable() prints the number of rows above ten", () => {
  const rows = (count: number): TestRow[] => Array.from({ length: count }, () => ok);
  assert.match(testTable(rows(10), { detailed: false }), /│ ID │ POLICY/);
  assert.match(testTable(rows(11), { detailed: false }), /│ ID \(11\) {2}│ POLICY/);
});

Deno.test("tableParts() writes a long table in parts whose lines are as wide as the widest of all", () => {
  const rows = Array.from({ length: 1_200 }, () => ok);
  // The last row is the widest, and has an astral character.
  const parts = [...tableParts([...rows, { ...failed, rule: "r\u{1f600}".repeat(30) }], { detailed: true })];
  assert.ok(parts.length > 1, String(parts.length));
  const lines = parts.join("\n").split("\n");
  assert.deepEqual(new Set(lines.map((line) => [...line].length)).size, 1);
  const numbers = lines.flatMap((line) => /^│ (\d+) /.exec(line)?.[1] ?? []);
  assert.deepEqual(numbers, Array.from({ length: 1_201 }, (_, index) => String(index + 1)));
});

Deno.test("testTable() pads coloured cells by their visible width", () => {
  const painted = testTable([ok, failed], {
    detailed: false,
    paint: (style, text) => `<${style}>${text}</>`,
  });
  assert.equal(painted.replace(/<[^>]*>/g, ""), testTable([ok, failed], { detailed: false }));
  assert.match(painted, /<fail>Fail<\/>/);
});

Deno.test("testMarkdown() keeps cells in their columns", () => {
  const [, , first, second] = testMarkdown([ok, failed], { detailed: true }).split("\n");
  assert.equal(first, "| 1 | team | label | v1/Pod/shop/web | Pass | Ok | fine |");
  assert.ok(second!.endsWith(" | first \\| line<br>second <line> |"));
});

Deno.test("testObjects() has the table's headings as keys", () => {
  assert.deepEqual(testObjects([skipped], { detailed: false }), [{
    ID: 1,
    POLICY: "team",
    RULE: "label",
    RESOURCE: "v1/Pod/shop/web",
    RESULT: "Skip",
    REASON: "Invalid Policy",
  }]);
});

Deno.test("testJunit() writes a suite for each policy, and text that XML allows", () => {
  const odd = { ...failed, policy: 'a "quoted" & odd one', message: "bell \u0007" };
  assert.equal(
    testJunit([ok, skipped, odd], { detailed: true }),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1">
 <testsuite name="team" tests="2" failures="0" skipped="1">
  <testcase classname="label" name="v1/Pod/shop/web">
   <system-out>Reason: Ok
Policy: team
Rule: label
Resource: v1/Pod/shop/web
Result: Pass
Message: fine</system-out>
  </testcase>
  <testcase classname="label" name="v1/Pod/shop/web">
   <skipped>Invalid Policy</skipped>
  </testcase>
 </testsuite>
 <testsuite name="a &quot;quoted&quot; &amp; odd one" tests="1" failures="1" skipped="0">
  <testcase classname="label" name="v1/Pod/shop/größe">
   <failure message="Want pass, got fail">Policy: a &quot;quoted&quot; &amp; odd one
Rule: label
Resource: v1/Pod/shop/größe
Result: Fail
Message: bell \ufffd
expected: pass</failure>
  </testcase>
 </testsuite>
</testsuites>`,
  );
});

Deno.test("testJunit() agrees with JUnit's published schema", () =>
  assertJunit(testJunit([ok, failed, skipped], { detailed: true })));

Deno.test("testSarif() agrees with its published schema and leaves out passing rows", () => {
  const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const validate = ajv.compile(sarifSchema);
  const position = { file: "/work/tests/kyverno-test.yaml", line: 7, column: 3 };
  const log = JSON.parse(
    testSarif([ok, skipped, { ...failed, position }], { folder: "/work", version: "1.2.3" }),
  );
  validate(log);
  assert.deepEqual(validate.errors, null);
  const [{ results }] = log.runs;
  assert.deepEqual(results.map(({ ruleId }: { ruleId: string }) => ruleId), ["team/label"]);
  assert.equal(results[0].message.text, "v1/Pod/shop/größe: Want pass, got fail\nexpected: pass");
  assert.deepEqual(results[0].locations[0].physicalLocation, {
    artifactLocation: { uri: "tests/kyverno-test.yaml" },
    region: { startLine: 7, startColumn: 3 },
  });
});
