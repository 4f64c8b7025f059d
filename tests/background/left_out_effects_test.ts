/** The lines about effects that are left out: one for each rule, with the first object and how many there were. */
import assert from "node:assert/strict";
import { LeftOutEffects } from "../../lib/background/left_out_effects.ts";
import type { Effect } from "../../lib/engine/mod.ts";

function update(rule: string, name: string): Effect {
  const object = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" } };
  return { verb: "update", policy: "p", rule, reason: "changed", object };
}

Deno.test("effects that are left out are one line a rule, with their number", () => {
  const lines: unknown[] = [];
  const leftOut = new LeftOutEffects({ write: (_level, _message, fields) => lines.push(fields) });
  for (const name of ["a", "b", "c"]) leftOut.add(update("first", name));
  leftOut.add(update("second", "a"));
  leftOut.write();
  leftOut.write();
  assert.deepEqual(lines, [
    { policy: "p", rule: "first", object: "Secret/default/a", further: 2 },
    { policy: "p", rule: "second", object: "Secret/default/a" },
  ]);
});
