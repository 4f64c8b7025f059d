/** The values that an expression makes count, and those that it only reads do not. */
import assert from "node:assert/strict";
import { createEnvironment, dynType, isCelFault, kyvernoLibraries } from "../../lib/cel/mod.ts";
import { program } from "./budgeted_program.ts";

/** Calls that make much of little cost, once for each element of a list. */
const making = [
  "json.marshal(object.list)",
  "base64.encode(bytes(object.text))",
  "bytes(object.text)",
  "'%x'.format([object.text])",
  "object.text.upperAscii()",
  "object.text.split('')",
  "url('http://example.com/' + object.text)",
  "sha256(object.text)",
  "gzip.compress(object.text)",
  "isURL(object.text)",
];
for (const text of making) {
  Deno.test(`${text} for each of 20,000 elements ends at the cost limit, before it fills the memory`, () => {
    const list = Array.from({ length: 20_000 }, () => 1), values = { list, text: "ab".repeat(20_000) };
    const value = program(`object.list.map(x, ${text}).size() > 0`, kyvernoLibraries)
      .evaluate((name) => name === "object" ? values : undefined);
    assert(isCelFault(value) && value.kind === "cost");
  });
}

const half = 350_000;

const hidden = {
  loop: Array.from({ length: 100_000 }, (_, index) => index),
  texts: Array.from({ length: half }, () => "a"),
  maps: Array.from({ length: half }, () => ({})),
  nested: [Array.from({ length: half }, () => "a")],
  other: [[...Array.from({ length: half - 1 }, () => "a"), "b"]],
  text: "a".repeat(1_000_000),
  wide: Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 1])),
  wrong: `[${'"a",'.repeat(200_000)}`,
};

/** Calls that cost one or nothing for each of the elements of a loop, as Kubernetes counts, and read all of a value. */
const free = [
  "object.texts.indexOf('b') == 0",
  "object.maps.indexOf(1) == 0",
  "object.maps.lastIndexOf(1) == 0",
  "object.texts.isSorted() && x < 0",
  "object.texts.max() == 'z'",
  "object.maps.min() == 1",
  "object.nested == object.other",
  "object.nested[0] in object.other",
  "object.texts in object.other",
  "sets.contains(object.other, object.nested)",
  "object.text < 'a'",
  "object.wide == {'a': 1}",
  "object.wide.size() == 1",
  "optional.of(object.text) == optional.of('a')",
  "[object.text, object.text + ' '].sort().size() == 1",
  "'%s'.format([object.texts]) == ''",
  "json.marshal(object.maps) == ''",
  "json.unmarshal(object.wrong) == 1",
  "resource.Get('v1', 'pods', 'default', object.text).kind == 'Pod'",
];
for (const text of free) {
  Deno.test(`${text} for each of 100,000 elements ends as at the cost limit`, () => {
    const value = program(`object.loop.exists(x, ${text})`, kyvernoLibraries)
      .evaluate((name) => name === "object" ? hidden : undefined);
    assert(isCelFault(value) && value.kind === "cost");
  });
}

Deno.test("variables that expressions read count towards the work of the expression", () => {
  const inner = program("object.texts.indexOf('b') == 0", kyvernoLibraries);
  const outer = createEnvironment({
    variables: Object.fromEntries(hidden.loop.slice(0, 20).map((index) => [`v${index}`, dynType])),
  }).compile(hidden.loop.slice(0, 20).map((index) => `v${index}`).join(" || "));
  assert(outer.ok);
  const value = outer.program.evaluate(() =>
    inner.evaluate((name) => name === "object" ? hidden : undefined)
  );
  assert(isCelFault(value) && value.kind === "cost");
});

Deno.test("a call that returns its argument makes nothing", () => {
  const list = Array.from({ length: 3_000 }, () => 1);
  const value = program("object.list.all(x, dyn(object.list).size() > 0)", kyvernoLibraries)
    .evaluate((name) => name === "object" ? { list } : undefined);
  assert.equal(value, true);
});

const dense = [`[${"{},".repeat(400_000)}1]`, `[${"1,".repeat(760_000)}1]`];
for (const text of dense) {
  Deno.test(`json.unmarshal refuses ${text.slice(0, 7)}…, whose value takes too much memory`, () => {
    const value = program("json.unmarshal(object.text).size() > 0", kyvernoLibraries)
      .evaluate((name) => name === "object" ? { text } : undefined);
    assert(isCelFault(value));
    assert.equal(value.message, "json.unmarshal: the text would take too much memory");
  });
}
