/** Work on texts counts before it is done. */
import assert from "node:assert/strict";
import { type ExternalCalls, isCelFault, kyvernoLibraries } from "../../lib/cel/mod.ts";
import { newWorkBudget } from "../../lib/cel/work.ts";
import type { Json } from "../../lib/json/mod.ts";
import { program } from "./budgeted_program.ts";

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

/** Calls that take long whatever their arguments are, with the least work for each in nanoseconds. */
const slowCalls: readonly (readonly [expression: string, nanoseconds: number])[] = [
  ["hash.sha256(string(x)) == ''", 1_500],
  ["hash.md5(string(x)) == ''", 1_500],
  ["gzip.compress('a') == b''", 50_000],
  ["gzip.decompress(b'a') == ''", 15_000],
  ["x509.decode('a').Version > 0", 50_000],
  ["string(x).matches('^' + string(x) + '$')", 15_000],
  ["timestamp('2020-01-01T00:00:00Z').getHours('Europe/Berlin') == 5", 3_000],
  ["timestamp('2020-01-01T00:00:00Z').getMilliseconds('Europe/Berlin') == 5", 3_000],
  ["timestamp('2020-01-01T00:00:00Z').getHours(object.zones[x]) == 5", 60_000],
];
for (const [expression, nanoseconds] of slowCalls) {
  Deno.test(`${expression} counts ${nanoseconds} ns for each element of a list`, () => {
    const count = 200, budget = newWorkBudget(), full = budget.left;
    const range = Array.from({ length: count }, (_, index) => index);
    const zones = Intl.supportedValuesOf("timeZone").slice(0, count);
    program(`object.range.all(x, ${expression} || true)`, kyvernoLibraries)
      .evaluate((name) => name === "object" ? { range, zones } : undefined, { work: budget });
    const each = (full - budget.left) / count;
    assert(each >= nanoseconds, String(each));
  });
}

Deno.test("patterns of random texts that a request brings end at the cost limit, before they are compiled", () => {
  const list = Array.from({ length: 5_000 }, (_, index) => `[a-z]{${index % 1_000}}`);
  for (const each of [list, list.map(() => "a{1000}".repeat(140)), ["\\pL".repeat(300)]]) {
    const value = program("object.list.all(x, random(x) != '1')", kyvernoLibraries)
      .evaluate((name) => name === "object" ? { list: each } : undefined, {
        external: { random: () => 0.5 } as unknown as ExternalCalls,
      });
    assert(isCelFault(value) && value.kind === "cost");
  }
});
