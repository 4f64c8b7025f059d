/** What evaluation may cost, told before there are values. */
import assert from "node:assert/strict";
import {
  createEnvironment,
  dynType,
  isCelFault,
  kubernetesLibraries,
  stringType,
} from "../../lib/cel/mod.ts";

const environment = createEnvironment({
  variables: { object: dynType, name: stringType },
  libraries: kubernetesLibraries,
});
const object = {
  name: "web",
  list: ["a", "bb", "ccc"],
  numbers: [3, 1, 2],
  labels: { app: "web", env: "prod" },
};
const values: Readonly<Record<string, unknown>> = { object, name: "a name" };

const expressions = [
  "true",
  "object.name",
  "has(object.name) && object.name == 'web'",
  "object.list.all(x, x.size() < 5)",
  "object.list.exists(x, x.startsWith('c'))",
  "object.list.map(x, x + name).filter(x, x.contains('b')).size()",
  "object.list.map(x, object.list.map(y, x + y))",
  "object.labels.transformMap(k, v, v + k)",
  "object.numbers.sort() == [1, 2, 3]",
  "object.?missing.orValue('x') == 'x'",
  "object.numbers[0] > 2 ? object.list.join(',') : name",
  "name.matches('^[a-z ]+$')",
  "[name, name + name].exists_one(x, x == name)",
];

for (const text of expressions) {
  Deno.test(`the cost of ${text} lies within its estimate`, () => {
    const compiled = environment.compile(text);
    assert(compiled.ok);
    const { value, cost } = compiled.program.measure((variable) => values[variable] as never);
    assert(!isCelFault(value), text);
    for (const { min, max } of [compiled.program.estimate(), compiled.program.estimate({ largest: 100 })]) {
      assert(min <= cost && cost <= max, `${min} <= ${cost} <= ${max}`);
    }
  });
}

Deno.test("a loop over what comes from a variable is bounded only when the size of that is", () => {
  const compiled = environment.compile("object.list.all(x, object.list.all(y, x != y))");
  assert(compiled.ok);
  assert.equal(compiled.program.estimate().max, Infinity);
  const small = compiled.program.estimate({ largest: 10 }).max,
    large = compiled.program.estimate({ largest: 100 }).max;
  assert(small < 1500 && large > 100 * small && large < 400 * small, `${small} ${large}`);
});
