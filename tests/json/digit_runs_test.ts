import assert from "node:assert/strict";
import fc from "fast-check";
import { digitRunsOf } from "../../lib/json/mod.ts";

/** As a regular expression finds it, which takes longer than parsing the text. */
function found(text: string): { mayBeLong: boolean; mayBeHuge: boolean } {
  return {
    mayBeLong: /[0-9]{16}/.test(text),
    mayBeHuge: /[0-9]{200}|[0-9][eE]\+?[0-9]{3}/.test(text),
  };
}

const rows: readonly string[] = [
  "",
  "1",
  "12",
  '{"id":123456789012345}',
  '{"id":1234567890123456}',
  '{"ratio":1e99,"small":1e-400,"half":5.5}',
  '{"most":1e300}',
  '{"most":1E+300}',
  '{"most":1.5e400}',
  '{"name":"e400"}',
  "1e4001",
  "9".repeat(199),
  "9".repeat(200),
  `${"9".repeat(15)},`.repeat(5),
];
for (const text of rows) {
  Deno.test(`the digits of ${text.slice(0, 45)}, of ${text.length} characters`, () => {
    for (const before of ["", " ", "  "]) assert.deepEqual(digitRunsOf(before + text), found(before + text));
  });
}

Deno.test("runs of digits are found wherever they are", () => {
  const part = fc.constantFrom("1", "23", "456", "1234567", "e", "E", "+", "-", ".", ",", "9".repeat(60));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      assert.deepEqual(digitRunsOf(parts.join("")), found(parts.join("")));
    }),
    { numRuns: 2_000 },
  );
});
