/** Costs, their limits, and functions whose answers come later. */
import assert from "node:assert/strict";
import {
  type CelFault,
  createEnvironment,
  dynType,
  type ExternalCalls,
  type ExternalReply,
  type ExternalRequest,
  failure,
  isCelFault,
  kubernetesLibraries,
  kyvernoLibraries,
  type Library,
  pending,
  stringType,
} from "../../lib/cel/mod.ts";
import { newWorkBudget } from "../../lib/cel/work.ts";
import type { Json } from "../../lib/json/mod.ts";
import { bindingsLibrary } from "../../lib/cel/libraries/bindings.ts";
import { overload } from "../../lib/cel/libraries/library.ts";
import { processorTime } from "../support/processor_time.ts";

const names = { object: dynType };

function program(text: string, libraries: readonly Library[] = kubernetesLibraries) {
  const compiled = createEnvironment({ variables: names, libraries }).compile(text);
  assert(compiled.ok, text);
  return compiled.program;
}

const object = { name: "web", items: Array.from({ length: 10_000 }, (_, index) => index) };
const activation = (name: string) => name === "object" ? object : undefined;

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

/** Calls that read all elements of a list or entries of a map, with the least work for each in nanoseconds. */
const reading: readonly (readonly [expression: string, nanoseconds: number])[] = [
  ["object.list.join() == ''", 10],
  ["object.nested.flatten().size() > 0", 130],
  ["object.nested.flatten(3).size() > 0", 130],
  ["math.greatest(object.numbers) == 1", 50],
  ["math.least(object.numbers) == 1", 50],
  ["json.marshal(object.numbers) == ''", 110],
  ["json.marshal(object.wide) == ''", 1_000],
  ["'%s'.format([object.wide]) == ''", 1_600],
  ["listObjToMap(object.maps, object.maps, 'name', 'name').size() > 0", 200],
  ["[1].transformMapEntry(k, v, object.wide).size() > 0", 400],
  ["[1, 2].transformMapEntry(k, v, object.wide).size() > 0", 800],
  ["object.maps == object.other", 200],
  ["object.small.transformMapEntry(k, v, v).size() > 0", 80],
];

for (const [text, nanoseconds] of reading) {
  Deno.test(`the work of ${text} counts, ${nanoseconds} ns for each element`, () => {
    const count = 10_000, budget = newWorkBudget(), full = budget.left;
    const range = Array.from({ length: count }, (_, index) => index);
    const named = () => range.map((index) => ({ name: `n${index}` }));
    const values: Readonly<Record<string, Json>> = {
      list: [...range.slice(1).map(() => ""), 1],
      nested: [range],
      numbers: range,
      maps: named(),
      other: named(),
      wide: Object.fromEntries(range.map((index) => [`k${index}`, 1])),
      small: range.map((index) => ({ [`k${index}`]: index })),
    };
    program(text, kyvernoLibraries).evaluate((name) => name === "object" ? values : undefined, {
      work: budget,
    });
    const each = (full - budget.left) / count;
    assert(each >= nanoseconds, String(each));
  });
}

/** The same with texts made against the call. */
const laboriousTexts: readonly (readonly [expression: string, text: string])[] = [
  ["duration(object.text) == duration('1s')", "0m".repeat(1_500_000)],
  ["isSemver(object.text)", `1.2.3-${"1.".repeat(1_499_000)}1`],
  ["semver(object.text, true).major() == 1", `1.2.3-${"1.".repeat(1_499_000)}1`],
  ["strings.quote(object.text) == ''", "\n".repeat(3_000_000)],
  ["'%s'.format([[object.text]]) == ''", "\n".repeat(3_000_000)],
  ["object.text.split('').sort().size() > 0", "ab".repeat(350_000)],
];

for (const [expression, text] of laboriousTexts) {
  Deno.test(`${expression} of ${text.slice(0, 12)}… ends at the cost limit, before the call`, () => {
    const value = program(expression, kyvernoLibraries)
      .evaluate((name) => name === "object" ? { text } : undefined);
    assert(isCelFault(value) && value.kind === "cost");
  });
}

Deno.test("a format does not make more text than others may", () => {
  const object = { text: "%.999f".repeat(100_500), list: Array.from({ length: 100_500 }, () => 0.5) };
  const value = program("object.text.format(object.list) == ''", kyvernoLibraries)
    .evaluate((name) => name === "object" ? object : undefined);
  assert(isCelFault(value));
  assert.equal(value.message, "the text is too long");
});

/** Calls whose errors quote their argument. */
const quoting = [
  "ip(object.text)",
  "ip.isCanonical(object.text)",
  "cidr(object.text)",
  "cidr('10.0.0.0/8').containsCIDR(object.text)",
  "timestamp(object.text)",
  "url(object.text)",
  "regex.replace('a', 'a', object.text)",
  "object.text.format([1])",
];

for (const text of quoting) {
  Deno.test(`the error of ${text} quotes the begin of a long text`, () => {
    for (const object of [{ text: "\ud800".repeat(600_000) }, { text: `1.2.3-%.${"\\x".repeat(300_000)}` }]) {
      const value = program(text, kyvernoLibraries).evaluate((name) =>
        name === "object" ? object : undefined
      );
      assert(!isCelFault(value) || value.message.length < 20_000, text);
    }
  });
}

Deno.test("a pattern that is compiled at load takes no work of a long text's search", () => {
  const value = program("object.text.matches('^x+$') && object.text.find('y') == ''")
    .evaluate((name) => name === "object" ? { text: "x".repeat(3_000_000) } : undefined);
  assert.equal(value, true);
});

const patterns = [
  ["a{1000}".repeat(100), "the regular expression has more than 50000 instructions"],
  [`[${"[:".repeat(50_000)}`, "the regular expression has more than 50000 instructions"],
  [`(?i)${"[b-\\x{1e900}]".repeat(70)}`, "the regular expression has more than 50000 instructions"],
] as const;

for (
  const use of ["matches(object.pattern)", "find(object.pattern) == ''", "findAll(object.pattern) == []"]
) {
  Deno.test(`a large pattern of a request is not compiled: text.${use}`, () => {
    for (const [pattern, message] of patterns) {
      const value = program(`object.text.${use}`).evaluate((name) =>
        name === "object" ? { text: "x", pattern } : undefined
      );
      assert(isCelFault(value) && value.message.endsWith(message), pattern.slice(0, 20));
    }
  });
}

Deno.test("patterns of a request with many repetitions end at the cost limit", () => {
  const list = Array.from({ length: 100 }, (_, index) => `(a${index}){500}`);
  const matches = program("object.list.exists(x, object.text.matches(x))");
  const value = matches.evaluate((name) => name === "object" ? { text: "x", list } : undefined);
  assert(isCelFault(value) && value.kind === "cost");
});

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

Deno.test("a smaller budget ends evaluation earlier, and the result has the cost so far", () => {
  const { value, cost } = program("object.items.all(x, x >= 0)").measure(activation, { budget: 100 });
  assert(isCelFault(value) && value.kind === "cost");
  assert(cost > 100 && cost < 120);
});

const loading: Library = {
  name: "test",
  functions: [{
    name: "test.load",
    overloads: [
      overload({
        id: "test_load",
        takes: [stringType],
        gives: dynType,
        callOut: (external, name) => {
          const reply = external.call({ kind: "global", name, projection: "" });
          if (isCelFault(reply)) return reply;
          return reply.ok ? reply.body : failure(reply.message);
        },
      }),
    ],
  }],
};

/** Answers the calls that it has answers for, and records all of them. */
class RecordedCalls implements ExternalCalls {
  readonly calls: string[] = [];
  readonly loaded = new Map<string, Json>();

  call(request: ExternalRequest): ExternalReply | CelFault {
    assert(request.kind === "global");
    const body = this.loaded.get(request.name);
    if (body !== undefined) return { ok: true, status: 200, body };
    this.calls.push(request.name);
    return pending(request.name);
  }

  now(): number {
    return 0;
  }

  random(): number {
    return 0;
  }

  generate(): undefined {
    return undefined;
  }
}

Deno.test("a loop draws no more random numbers than a rule has time for", () => {
  const external = new RecordedCalls();
  let drawn = 0;
  external.random = () => (drawn++, 0.5);
  const items = Array.from({ length: 10_000 }, () => 0),
    name = (each: string) => each === "object" ? { items } : undefined;
  const run = program("object.items.all(x, random('[a-z]{1000}') != '')", kyvernoLibraries);
  const result = run.evaluate(name, { external });
  assert(isCelFault(result), String(result));
  assert(drawn <= 1_001_000, `${drawn}`);
});

Deno.test("a function that reads a value from outside is pending until the value is loaded", () => {
  const run = program("test.load('a') + test.load('b') == 3", [loading]);
  const external = new RecordedCalls();
  const first = run.evaluate(activation, { external });
  assert(isCelFault(first) && first.kind === "pending");
  assert.deepEqual(external.calls, ["a", "b"]);
  external.loaded.set("a", 1).set("b", 2);
  assert.equal(run.evaluate(activation, { external }), true);
});

Deno.test("a pending value wins over errors, because it may decide the result", () => {
  const run = program("object.missing || test.load('a')", [loading]);
  const external = new RecordedCalls();
  const first = run.evaluate(activation, { external });
  assert(isCelFault(first) && first.kind === "pending");
  external.loaded.set("a", true);
  assert.equal(run.evaluate(activation, { external }), true);
  assert.equal(program("true || test.load('a')", [loading]).evaluate(activation), true);
});

Deno.test("without external calls, a function that needs them is an error", () => {
  const value = program("test.load('a')", [loading]).evaluate(activation);
  assert(isCelFault(value) && value.kind === "no_such_overload");
});
