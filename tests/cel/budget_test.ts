/** Expressions that never end, or fill the memory, exceed their budget. */
import assert from "node:assert/strict";
import { type ExternalCalls, isCelFault, kubernetesLibraries, kyvernoLibraries } from "../../lib/cel/mod.ts";
import { newWorkBudget } from "../../lib/cel/work.ts";
import { bindingsLibrary } from "../../lib/cel/libraries/bindings.ts";
import { processorTime } from "../support/processor_time.ts";
import { activation, program } from "./budgeted_program.ts";

const costs: readonly (readonly [text: string, cost: number])[] = [
  ["true", 0],
  ["object.name", 2],
  ["object.name == 'web'", 3],
  ["has(object.name)", 1],
  ["object.name == 'web' ? object.name : 'x'", 4],
  ["object.name.startsWith('w')", 3],
  ["'a' in ['a', 'b']", 0],
  ["[1, 2, 3].map(x, x * 2)", 43],
  ["[1, 2, 3].all(x, x > 0)", 16],
  ["[object.name, 'x']", 12],
];
for (const [text, cost] of costs) {
  Deno.test(`${text} costs ${cost}`, () => {
    assert.equal(program(text).measure(activation).cost, cost);
  });
}

const endless = [
  "object.items.all(x, object.items.all(y, x + y >= 0))",
  "object.items.map(x, object.items.map(y, [x, y]))",
  "object.items.exists_one(x, object.items.exists_one(y, x == y))",
  "object.items.filter(x, object.items.exists(y, y < 0)).size() > 0 || true",
  "object.items.transformMap(i, x, object.items.transformMap(j, y, x))",
];
for (const text of endless) {
  Deno.test(`${text} exceeds the cost budget in little time`, () => {
    const run = program(text);
    const before = processorTime();
    const value = run.evaluate(activation);
    assert(isCelFault(value));
    assert.equal(value.kind, "cost");
    assert.equal(value.message, "operation cancelled: actual cost limit exceeded");
    assert(processorTime() - before < 2000);
  });
}

Deno.test("an expression that doubles texts and lists exceeds its budget before it fills the memory", () => {
  for (
    const [start, double] of [["object.name", "x + x"], ["object.items", "x + x"], [
      "object.name",
      "x.replace('', x)",
    ]]
  ) {
    let text = "x.size()";
    for (let depth = 0; depth < 60; depth++) text = `cel.bind(x, ${double}, ${text})`;
    const value = program(`cel.bind(x, ${start}, ${text})`, [...kubernetesLibraries, bindingsLibrary])
      .evaluate(activation);
    assert(isCelFault(value), String(value));
  }
});

const large = {
  numbers: Array.from({ length: 100_000 }, (_, index) => index),
  text: "x".repeat(1_000_000),
  labels: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, "v"])),
};

const slow = [
  "object.numbers.distinct().size() > 0",
  "sets.equivalent(object.numbers, object.numbers)",
  "object.numbers.all(x, x in object.numbers)",
  "object.numbers.all(x, object.text.size() > 0)",
  "object.numbers.all(x, object.labels.size() > 0)",
  "object.numbers.all(x, object.labels.exists(k, true))",
];
for (const text of slow) {
  Deno.test(`${text} on much data ends at the cost limit`, () => {
    const run = program(text);
    const value = run.evaluate((name) => name === "object" ? large : undefined);
    assert(isCelFault(value) && value.kind === "cost");
  });
}

/** Calls that cost little in Kubernetes' units, on a text as long as a request. */
const laborious = [
  "object.text.matches(object.text)",
  "matches(object.text, object.text)",
  "object.text.find(object.text) == ''",
  "object.text.findAll('x').size() > 0",
  "object.text.findAll('x', 100000000).size() > 0",
  "regex.replace(object.text, 'x', 'y') == ''",
  "regex.extract(object.text, object.text).hasValue()",
  "regex.extractAll(object.text, 'x').size() > 0",
  "yaml.parse(object.text) == 1",
];
for (const text of laborious) {
  Deno.test(`${text} with 3 MB ends at the cost limit, before the call`, () => {
    const value = program(text, kyvernoLibraries)
      .evaluate((name) => name === "object" ? { text: "x".repeat(3_000_000) } : undefined);
    assert(isCelFault(value) && value.kind === "cost");
  });
}

/** Texts that searches for all matches of a pattern read again and again. */
const rereading = [
  "object.text.findAll('a.*b|a').size() > 0",
  "object.text.findAll('a.*b|a', 100000).size() > 0",
  "regex.replace(object.text, 'a.*b|a', 'c') == ''",
  "regex.extractAll(object.text, 'a.*b|a').size() > 0",
];
for (const text of rereading) {
  Deno.test(`${text} of 50,000 letters ends at the cost limit, after a part of the matches`, () => {
    const value = program(text, kyvernoLibraries)
      .evaluate((name) => name === "object" ? { text: "a".repeat(50_000) } : undefined);
    assert(isCelFault(value) && value.kind === "cost");
  });
}

Deno.test("a pattern whose program is large is looked for in a text of megabytes in one reading", () => {
  const value = program("object.text.matches('(a{100}b?){2}$')")
    .evaluate((name) => name === "object" ? { text: "a".repeat(1_000_000) } : undefined);
  assert.equal(value, true);
});

/** Calls of long texts for each element of a list that take longer than their cost says. */
const working = [
  "object.text.matches('^a+$')",
  "object.text.trim() == ''",
  "object.text.upperAscii() == ''",
  "object.text.replace('', 'b') == ''",
  "object.text.split('', 1).size() == 0",
  "object.text.contains(object.text + 'b')",
  "object.text.indexOf(object.text + 'b') > 0",
  "[object.text] == [object.text + '']",
  "base64.decode(object.line) == b''",
];
for (const text of working) {
  Deno.test(`the work of ${text} counts`, () => {
    const budget = newWorkBudget(), full = budget.left;
    const values = { text: "a".repeat(30_000), line: "\n".repeat(30_000) };
    program(text, kyvernoLibraries).evaluate((name) => name === "object" ? values : undefined, {
      work: budget,
    });
    assert((full - budget.left) / 30_000 >= (text.includes("[object") ? 1 : 15), String(full - budget.left));
  });
}

/** Values that take little memory, as they hold one text many times, until they are written. */
const writing = [
  "object.list.map(i, object.text).join() == ''",
  "object.list.map(i, object.text).join(',') == ''",
  "json.marshal(object.list.map(i, object.text)) == ''",
  "json.marshal(object.list.map(i, {'a': object.text})) == ''",
  "'%s'.format([object.list.map(i, object.text)]) == ''",
  "http.Post('https://example.com', object.list.map(i, object.text)) == ''",
];
for (const text of writing) {
  Deno.test(`${text} with 400 MB ends at the cost limit, before the text is made`, () => {
    const values = { text: "a".repeat(1_000_000), list: Array.from({ length: 400 }, (_, index) => index) };
    const call = (): never => assert.fail("the text was written");
    const before = processorTime();
    const value = program(text, kyvernoLibraries).evaluate((name) => name === "object" ? values : undefined, {
      external: { call } as unknown as ExternalCalls,
    });
    assert(isCelFault(value) && value.kind === "cost", String(value));
    // Most of these took half a second and 400 MB; garbage of other tests may be collected meanwhile.
    assert(processorTime() - before < 2_000);
  });
}

Deno.test("json.marshal writes no text that is longer than what the API server takes", () => {
  const evaluate = (length: number) =>
    program("json.marshal(object.text).size()", kyvernoLibraries)
      .evaluate((name) => name === "object" ? { text: "\u0001".repeat(length) } : undefined);
  assert.equal(evaluate(500_000), 3_000_002);
  const value = evaluate(600_000);
  assert(isCelFault(value));
  assert.equal(value.message, "json.marshal: the text would take too much memory");
});

Deno.test("a smaller budget ends evaluation earlier, and the result has the cost so far", () => {
  const { value, cost } = program("object.items.all(x, x >= 0)").measure(activation, { budget: 100 });
  assert(isCelFault(value) && value.kind === "cost");
  assert(cost > 100 && cost < 120);
});
