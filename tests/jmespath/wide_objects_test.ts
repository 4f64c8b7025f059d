/** Objects of very many fields take steps wherever an expression looks at all their names. */
import assert from "node:assert/strict";
import { type Fault, goJson, isFault, type Json, scopeOf } from "../../lib/json/mod.ts";
import {
  Bindings,
  communityCompiler,
  communityFunctions,
  compileExpression,
  kyvernoFunctions,
  newBudget,
} from "../../lib/jmespath/mod.ts";
import { fixedEnvironment as environment } from "./evaluate.ts";
import { quickly } from "../support/processor_time.ts";

const names = Array.from({ length: 20_000 }, (_, index) => `k${index}`);
const labels: Json = Object.fromEntries(names.map((name) => [name, "v"]));
const compileCommunity = communityCompiler(communityFunctions(kyvernoFunctions()));

/** The steps of an expression in each dialect. */
const dialects: Readonly<Record<string, (expression: string) => { steps: number; result: Json | Fault }>> = {
  "Kyverno's": (expression) => {
    const compiled = compileExpression(expression), budget = newBudget(), full = budget.left;
    assert.ok(!isFault(compiled));
    const result = compiled.evaluate(scopeOf({ labels }), { ...environment, budget });
    return { steps: full - budget.left, result };
  },
  "the community's": (expression) => {
    const compiled = compileCommunity(expression), budget = newBudget(), full = budget.left;
    assert.ok(!isFault(compiled));
    const result = compiled({ labels }, { bindings: Bindings.none, environment, budget });
    return { steps: full - budget.left, result };
  },
};

/** Each looks as often whether the object has any field, which takes the runtime a list of all names. */
const looking: readonly (readonly [expression: string, times: number])[] = [
  ["!labels", 1],
  ["labels && 'a'", 1],
  ["length([labels || 'a'])", 1],
  ["length([labels][?@])", 1],
  ["length([labels, labels, labels][?@ && @])", 6],
];

for (const [dialect, evaluate] of Object.entries(dialects)) {
  for (const [expression, times] of looking) {
    Deno.test(`${expression} takes steps for the names of a wide object, in ${dialect} dialect`, () => {
      const { steps, result } = evaluate(expression);
      assert.ok(!isFault(result), String(result));
      assert.ok(steps >= 3 * times * names.length, `took ${steps}`);
    });
  }
  Deno.test(`truth of wide objects ends at the step budget, in ${dialect} dialect`, () => {
    for (const  of of["!@", "@ && 'a'", "@ || 'a'", "[@][?@]"]) {
      const { result } = evaluate(`length([${Array(40).fill("labels").join(", ")}][*].[${of}])`);
      assert.ok(isFault(result), of);
      assert.match(result.message, /more than 2000000 steps/);
    }
  });
}

Deno.test("a result that is weighed takes steps for its parts", () => {
  const list = Array(10).fill("[[labels]]").join(", ");
  const { steps } = dialects["Kyverno's"]!(`[${list}]`);
  assert.ok(steps >= 10 * names.length / 8, `took ${steps}`);
});

Deno.test("a refused object takes steps for its names, which the message lists", () => {
  const { steps, result } = dialects["Kyverno's"]!("abs(labels)");
  assert.ok(isFault(result));
  assert.ok(steps >= names.length, `took ${steps}`);
});

Deno.test("objects of many different fields are written soon", () => {
  const objects = Array.from(
    { length: 1_000 },
    (_, at) => `{${names.slice(0, 900).map((name) => `"${at}-${name}":1`).join(",")}}`,
  );
  const text = `[${objects.join(",")}]`, parsed = JSON.parse(text) as Json;
  // A copy in ordinary objects takes three seconds: the runtime makes a hidden class for each field.
  quickly(1_500, () => assert.equal(goJson(parsed).length, text.length));
});
