import assert from "node:assert/strict";
import { DenialBlocks } from "../../lib/report/mod.ts";

const rule = (name: string, message: string) => ({ rule: name, message });

Deno.test("a kept text of a denial is given to the same rules with the same messages alone", () => {
  const rows = [
    { policy: "p", rules: [rule("a", "x")], text: "p:\n  a: x\n" },
    { policy: "p", rules: [rule("a", "y")], text: 'p:\n  a: "y"\n' },
    { policy: "q", rules: [rule("a", "x")], text: "q:\n  a: x\n" },
    { policy: "p", rules: [rule("b", "z"), rule("a", "x")], text: "p:\n  a: x\n  b: z\n" },
    { policy: "p", rules: [rule("a", "x1 1 bz")], text: "p:\n  a: x1 1 bz\n" },
    { policy: "__proto__", rules: [rule("__proto__", "x")], text: "__proto__:\n  __proto__: x\n" },
  ];
  const blocks = new DenialBlocks();
  for (const _ of ["written", "kept"]) {
    for (const { policy, rules, text } of rows) assert.equal(blocks.block(policy, rules), text);
  }
});
