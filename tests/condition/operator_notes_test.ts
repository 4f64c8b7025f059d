/** Each operator is explained, and the examples of the explanations are right. */
import assert from "node:assert/strict";
import { operatorNames, operatorNotes } from "../../lib/condition/mod.ts";
import { holds } from "./evaluate.ts";

Deno.test("every operator has a note, and every note an operator", () => {
  assert.deepEqual(Object.keys(operatorNotes), operatorNames());
});

for (const [name, { examples }] of Object.entries(operatorNotes)) {
  Deno.test(`the examples of an operator are right: ${name}`, () => {
    assert(examples.length > 0);
    for (const [key, value, expected] of examples) {
      assert.equal(
        holds(key, name, value, "written"),
        expected,
        `${JSON.stringify(key)} ${name} ${JSON.stringify(value)}`,
      );
    }
  });
}
