/** Texts and values made to exhaust the time, the memory or the stack end in a result or a fault, soon. */
import assert from "node:assert/strict";
import { type Fault, isFault, type Json, scopeOf } from "../../lib/json/mod.ts";
import {
  Bindings,
  communityCompiler,
  communityFunctions,
  compileExpression,
  expressionHint,
  kyvernoFunctions,
  newBudget,
} from "../../lib/jmespath/mod.ts";
import { evaluate, fixedEnvironment as environment } from "./evaluate.ts";
import { processorTime, quickly } from "../support/processor_time.ts";

function compiles(text: string): boolean {
  return !isFault(compileExpression(text));
}

function problem(result: Json | Fault): string {
  assert.equal(typeof result, "string");
  return result as string;
}

const hintless: readonly (readonly [what: string, text: string, hint: string | undefined])[] = [
  ["a long word", `${"a".repeat(300_000)} +`, undefined],
  ["words of letters and digits", `${"a1".repeat(150_000)} +`, undefined],
  ["escaped quotation marks", `"${'\\"'.repeat(150_000)}`, "a quotation mark is not closed"],
  ["opened lists", `${"[".repeat(300_000)}]`, undefined],
  ["opened brackets", `${"(".repeat(300_000)})`, undefined],
];

for (const [what, text, hint] of hintless) {
  Deno.test(`the hint about a text that is no expression comes soon: ${what}`, () => {
    assert.equal(expressionHint(text), hint);
  });
}

Deno.test("deep nesting of an expression is refused, and moderate nesting accepted", () => {
  const shapes: readonly (readonly [open: string, middle: string, close: string])[] = [
    ["(", "a", ")"],
    ["[", "a", "]"],
    ["{x: ", "a", "}"],
    ["a[?", "a", "]"],
    ["abs(", "a", ")"],
    ["!", "a", ""],
    ["sort_by(a, &", "a", ")"],
  ];
  for (const [open, middle, close] of shapes) {
    const nested = (depth: number): string => open.repeat(depth) + middle + close.repeat(depth);
    assert.equal(compiles(nested(100)), true, open);
    assert.equal(compiles(nested(300)), false, open);
    assert.equal(compiles(nested(14_000)), false, open);
  }
});

const projections = "a[*].b[*].c[*].d[*].e[?";

Deno.test("nested filters are compiled in time in proportion to their length", () => {
  const texts = Array.from(
    { length: 20 },
    (_, index) => `x${index}.${projections.repeat(170)}a${"]".repeat(170)}`,
  );
  quickly(2_000, () => assert.ok(texts.every(compiles)));
});

Deno.test("the paths that nested filters read have few steps", () => {
  const compiled = compileExpression(`${projections.repeat(170)}a${"]".repeat(170)}`);
  assert.ok(!isFault(compiled));
  assert.ok(compiled.paths.flat().length < 1_000, `${compiled.paths.flat().length} steps`);
});

Deno.test("long chains are refused before they exhaust the stack", () => {
  for (const link of [".a", "[0]", "[*]", "[]", " || a", " && a", " | a", " == a", "[?a]", "(a)"]) {
    assert.equal(compiles("a" + link.repeat(20_000)), false, link);
    const text = "a" + link.repeat(400);
    if (link !== "(a)") {
      assert.equal(compiles(text), true, link);
      evaluate(text, { a: {} });
    }
  }
});

Deno.test("a long expression is refused, also one with errors only", () => {
  assert.equal(compiles(`'${"x".repeat(200_000)}'`), false);
  const started = processorTime();
  assert.equal(compiles("a b ".repeat(24_000)), false);
  assert.equal(compiles("[".repeat(99_000)), false);
  assert.ok(processorTime() - started < 5_000);
});

Deno.test("deep JSON in literals and texts is refused", () => {
  assert.equal(compiles(`\`${"[".repeat(40_000)}${"]".repeat(40_000)}\``), false);
  assert.equal(
    evaluate("parse_json(@)", "[".repeat(500_000) + "]".repeat(500_000)),
    "error: exceeded max depth",
  );
  assert.equal(evaluate("length(parse_json(@))", "[".repeat(500) + "]".repeat(500)), 1);
});

Deno.test("results that would be huge are faults", () => {
  const megabyte = "x".repeat(1_000_000);
  const tooLarge = /would have more than/;
  assert.match(problem(evaluate(`replace_all(@, 'x', '${"y".repeat(20)}')`, megabyte)), tooLarge);
  assert.match(problem(evaluate("replace_all(@, '', 'yyyyyyyyyy')", megabyte.slice(0, 900_000))), tooLarge);
  const widening = `regex_replace_all('x', @, '$0 ${"y".repeat(200)}')`;
  assert.match(problem(evaluate(widening, megabyte.slice(0, 50_000))), tooLarge);
  assert.match(problem(evaluate("join(@, [@, @, @, @, @, @, @, @, @])", megabyte)), tooLarge);
  assert.match(problem(evaluate("base64_encode(join('', [@, @, @]))", megabyte)), tooLarge);
});

Deno.test("lists cannot be doubled without end", () => {
  for (
    const step of ["[@, @]", "{a: @, b: @}", "[@, @][]", "*.[@]", "map(&[@, @], @)", "merge(@, {a: @, b: @})"]
  ) {
    assert.equal(compiles(`@${` | ${step}`.repeat(60)}`), false, step);
    assert.equal(compiles(`@${` | ${step}`.repeat(3)}`), true, step);
  }
  const list = Array.from({ length: 1_000 }, () => 1);
  const flattened = " | [@, @][]".repeat(12);
  assert.match(problem(evaluate(`@${flattened}`, list)), /more than 2000000 steps/);
});

Deno.test("nested loops end at the step budget", () => {
  const hundred = `\`${JSON.stringify(Array.from({ length: 100 }, () => 1))}\``;
  const shapes: readonly ((inner: string) => string)[] = [
    (inner) => `map(&${inner}, ${hundred})`,
    (inner) => `${hundred}[*].[${inner}]`,
    (inner) => `${hundred}[?${inner}]`,
    (inner) => `sort_by(${hundred}, &length(${inner}))`,
    (inner) => `max_by(${hundred}, &length(to_string(${inner})))`,
  ];
  for (const shape of shapes) {
    let text = "@";
    for (let depth = 0; depth < 8; depth++) text = shape(text);
    assert.match(problem(evaluate(text)), /^error: /, text.slice(0, 20));
  }
  assert.match(
    problem(evaluate(shapes[0]!(shapes[0]!(shapes[0]!(shapes[0]!("@")))))),
    /more than 2000000 steps/,
  );
});

const numbers = Array.from({ length: 3_000 }, (_, index) => index);

/** Expressions whose work grows faster than their input, each with an input of a few kilobytes. */
const explosions: [what: string, expression: string, input: Json][] = [
  ["maps inside maps", "map(&map(&map(&@, $), $), $)", numbers],
  ["projections inside projections", "[*].[$[*].[$[*]]]", numbers],
  ["filters inside filters", "[?length($[?length($[?@]) > `0`]) > `0`]", numbers],
  ["sorting inside sorting", "sort_by(@, &length(sort_by($, &length(sort_by($, &@)))))", numbers],
  ["searching in a list for each of its elements", "[?length($[?contains($, `-1`)]) == `1`]", numbers],
  ["a list of the whole input for each element", "to_string(map(&$, @))", numbers],
  ["comparing large values for each element", "a[?$.b == $.c]", { a: numbers, b: numbers, c: [...numbers] }],
  ["flattening what holds the input many times", "map(&$, @)[] | map(&@, @)", numbers],
  ["an error that a filter would hide", "map(&map(&map(&@, $), $), $)[?@][?@]", numbers],
  ["an error that a projection of values would hide", "{a: map(&map(&map(&@, $), $), $)}.*", numbers],
];
const functions = communityFunctions(kyvernoFunctions());
const compileCommunity = communityCompiler(functions);
for (const [what, expression, input] of explosions) {
  Deno.test(`${what}: the step budget ends it in the community dialect`, () => {
    const compiled = compileCommunity(expression);
    assert.ok(!isFault(compiled));
    const result = compiled(input, { bindings: Bindings.none, environment });
    assert.ok(isFault(result));
    assert.match(result.message, /more than 2000000 steps/);
  });
  if (expression.includes("$.")) continue;
  Deno.test(`${what}: the step budget ends it in Kyverno's dialect`, () => {
    const written = expression.replaceAll("$", `\`${JSON.stringify(numbers)}\``);
    assert.match(problem(evaluate(written, input)), /more than 2000000 steps/);
  });
}

const wide = Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [`k${index}`, "1"]));

/** Functions of large values that take longer for each of their parts than others do. */
const slow: readonly (readonly [expression: string, input: Json])[] = [
  ["object_from_lists(@, @)", Array.from({ length: 600_000 }, (_, index) => index + 0.5)],
  ["label_match(@, @)", wide],
  ["merge(@)", wide],
  ["keys(@)", wide],
  ["values(@)", wide],
  ["items(@, 'k', 'v')", wide],
  ["to_string(@)", wide],
  ["label_match(`{}`, @)", wide],
  ["*.a", wide],
  ["sort(@)", Array.from({ length: 330_000 }, (_, index) => `${(index * 7_919) % 330_007}`)],
  ["sort_by(@, &@)", Array.from({ length: 330_000 }, (_, index) => (index * 7_919) % 330_007)],
  ["map(&to_string(@), @)", Array.from({ length: 400_000 }, () => ({}))],
  ["to_string(@)", Array.from({ length: 1_000_000 }, () => [])],
  ["replace_all(@, 'a', 'b')", "a".repeat(3_000_000)],
];

for (const [expression, input] of slow) {
  Deno.test(`${expression} of a value of 3 MB ends at the step budget`, () => {
    assert.match(problem(evaluate(expression, input)), /more than 2000000 steps/);
  });
}

/** Replacing where there are many matches, or a replacement with many parts. */
const replacements: readonly (readonly [expression: string, input: Json])[] = [
  ["regex_replace_all('a', @, 'b')", "a".repeat(2_500_000)],
  ["regex_replace_all_literal('a', @, 'b')", "a".repeat(2_500_000)],
  ["regex_replace_all('', @, '')", "a".repeat(2_500_000)],
  ["regex_replace_all('(a)', @, '$1$1')", "a".repeat(1_000_000)],
  ["regex_replace_all('a', 'a', @)", "$b".repeat(1_500_000)],
  ["regex_replace_all('a', @, @)", "a$b".repeat(100_000)],
];

for (const [expression, input] of replacements) {
  Deno.test(`${expression} of ${String(input).length} characters ends at the step budget`, () => {
    assert.match(problem(evaluate(expression, input)), /more than 2000000 steps/);
  });
}

Deno.test("a pattern that reads the rest of the text for each match ends at the step budget", () => {
  assert.match(
    problem(evaluate("regex_replace_all('a.*b|a', @, 'c')", "a".repeat(50_000))),
    /more than 2000000 steps/,
  );
});

Deno.test("all matches of a text of 90,000 characters are replaced", () => {
  assert.equal(evaluate("length(regex_replace_all('a', @, 'bb'))", "a".repeat(90_000)), 180_000);
});

/** Functions that take long for each character of some texts. */
const slowTexts: readonly (readonly [expression: string, text: string])[] = [
  ["to_upper(@)", "\u00e9"],
  ["to_lower(@)", "\u6f22"],
  ["equal_fold(@, 'a')", "\u00e9"],
  ["trim(@, @)", "a"],
  ["base64_decode(@)", "0000"],
  ["replace_all(@, '', '')", "a"],
  ["replace(@, '', 'b', `-1`)", "a"],
  ["semver_compare(@, '>1.0.0')", "1."],
  ["pattern_match(@, 'a')", "*a"],
];

for (const [expression, unit] of slowTexts) {
  Deno.test(`${expression} of a text of megabytes ends at the step budget`, () => {
    const bytes = new TextEncoder().encode(unit).length;
    const text = unit.repeat(3_000_000 / bytes);
    assert.match(problem(evaluate(expression, text)), /more than 2000000 steps/);
  });
}

/** The steps that an expression takes in the community's dialect, which has Kyverno's functions too. */
function stepsOf(expression: string, input: Json): number {
  const compiled = compileCommunity(expression);
  assert.ok(!isFault(compiled));
  const budget = newBudget(), full = budget.left;
  compiled(input, { bindings: Bindings.none, environment, budget });
  return full - budget.left;
}

/** Functions that read or make more than the counted size of their arguments shows, in steps for each unit. */
const counted: readonly (readonly [expression: string, unit: string, steps: number])[] = [
  ["reverse(@)", "ab", 0.5],
  ["contains('a', @)", "a", 0.5],
  ["split('a', @)", "a", 1],
  ["replace_all('a', @, 'b')", "a", 1],
  ["replace_all(@, 'a', 'b')", "a", 4],
  ["replace(@, 'ab', 'b', `-1`)", "ab", 4],
  ["trim(@, 'a')", "a", 0.5],
  ["trim_left(@, 'a')", "a", 0.5],
  ["trim_right('a', @)", "a", 1],
  ["find_first(@, 'b')", "a", 0.5],
  ["find_last('b', @)", "a", 0.5],
  ["pad_left(@, `1`)", "a", 0.25],
  ["pad_right('a', `1`, @)", "a", 0.25],
  ["parse_json(@)", "[", 1],
  ["json_parse(@)", "[", 0.5],
  ["wildcard(@, '')", "*a", 2],
  ["path_canonicalize(@)", "a/", 2],
  ["sha256(@)", "a", 0.25],
  ["to_number(@)", "1", 0.25],
];

for (const [expression, unit, steps] of counted) {
  Deno.test(`${expression} of a long text takes ${steps} steps for each ${unit}`, () => {
    assert.ok(stepsOf(expression, unit.repeat(200_000)) >= steps * 200_000);
  });
}

/** The least steps of a call for each element of a list: a step takes some tens of nanoseconds. */
const slowCalls: readonly (readonly [call: string, element: Json, steps: number])[] = [
  ["abs(@)", 1, 5],
  ["to_upper(@)", "a", 5],
  ["add(@, @)", "1Gi", 12],
  ["regex_match('^a', @)", "a", 12],
  ["regex_replace_all('a', @, 'b')", "a", 50],
  ["base64_decode(@)", "true", 15],
  ["parse_json(@)", "[1]", 12],
  ["parse_yaml(@)", "a", 400],
  ["sha1(@)", "a", 60],
  ["time_parse('2006-01-02', @)", "2020-01-02", 40],
  ["time_utc(@)", "2020-01-02T00:00:00Z", 40],
  ["time_add(@, '1h')", "2020-01-02T00:00:00Z", 40],
  ["semver_compare('1.2.3', @)", ">1.0.0", 40],
  ["is_external_url(@)", "https://1.2.3.4/a", 12],
  ["random(@)", "[a-z]{3}", 1_000],
];
for (const [call, element, steps] of slowCalls) {
  Deno.test(`${call} takes ${steps} steps for each element of a list`, () => {
    const list = Array.from({ length: 100 }, () => element);
    assert.ok(stepsOf(`map(&${call} || 'a', @)`, list) >= 100 * steps);
  });
}

Deno.test("a rejected list counts towards the steps, also when an operator hides the error", () => {
  const list = [...numbers, "a"];
  const steps = stepsOf("map(&(join('a', $)[] || `1`), $[:100])", list);
  assert.ok(steps > 100 * list.length, String(steps));
});

Deno.test("functions of texts take what a Secret or ConfigMap can hold", () => {
  const text = "a".repeat(1_400_000);
  assert.equal(evaluate("length(base64_decode(@))", "QUJD".repeat(340_000)), 1_020_000);
  assert.equal(evaluate("length(to_upper(@))", text), 1_400_000);
  assert.equal(evaluate("equal_fold(@, to_upper(@))", text), true);
  assert.equal(evaluate("length(trim(@, 'b'))", text), 1_400_000);
  assert.equal(evaluate("length(to_upper(@))", "\u00e9".repeat(300_000)), 300_000);
});

Deno.test("searching, reversing and comparing keep characters of two units whole", () => {
  const smile = "\u{1f600}", text = `${smile}a${smile}b`;
  assert.equal(evaluate("reverse(@)", text), `b${smile}a${smile}`);
  assert.equal(evaluate("reverse(@)", `${smile.repeat(9_000)}ab`), `ba${smile.repeat(9_000)}`);
  assert.equal(evaluate("length(@)", text), 4);
  const long = "x".repeat(200);
  assert.deepEqual(evaluate("sort(@)", [`${long}\uffff`, `${long}${smile}`, `${long}b`, long]), [
    long,
    `${long}b`,
    `${long}\uffff`,
    `${long}${smile}`,
  ]);
  const many = Array.from({ length: 40 }, (_, index) => `${long}${index}`);
  assert.deepEqual(evaluate("sort(@)", [smile, ...many.toReversed(), "\uffff"]), [
    ...many.toSorted(),
    "\uffff",
    smile,
  ]);
});

const found: readonly (readonly [expression: string, position: number | null])[] = [
  ["find_first(@, 'a')", 1],
  ["find_last(@, 'a')", 3],
  ["find_first(@, 'a', `2`)", 3],
  ["find_first(@, 'a', `2`, `3`)", null],
  ["find_last(@, 'a', `0`, `3`)", 1],
  ["find_last(@, 'a', `2`, `3`)", null],
  ["find_last(@, 'a', `-5`, `-1`)", null],
  ["find_first(@, '\u{1f600}', `1`)", 2],
  ["find_first(@, '')", null],
];
for (const [expression, position] of found) {
  Deno.test(`${expression} of characters of two units is ${position}`, () => {
    const compiled = compileCommunity(expression);
    assert.ok(!isFault(compiled));
    assert.equal(compiled("\u{1f600}a\u{1f600}a", { bindings: Bindings.none, environment }), position);
  });
}

const trimmed: readonly (readonly [text: string, characters: string, result: string])[] = [
  ["\u{1f600}a\u{1f600}", "\u{1f600}", "a"],
  ["\u{1f600}a\u{1f600}", "\u{1f601}", "\u{1f600}a\u{1f600}"],
  ["\u{1f600}", "\u{1f600}", ""],
  ["b\u{1f600}b", "b", "\u{1f600}"],
];
for (const [text, characters, result] of trimmed) {
  Deno.test(`${text} without ${characters} at its ends is '${result}'`, () => {
    assert.equal(evaluate(`trim(@, '${characters}')`, text), result);
  });
}

Deno.test("the error of to_boolean quotes the beginning of a long text", () => {
  assert.ok(problem(evaluate("to_boolean(@)", "\u00e9".repeat(1_000_000))).length < 1_200);
});

const moment = "'2021-01-02T15:04:05Z'";
for (
  const expression of [
    `time_since(@, ${moment}, ${moment})`,
    `time_since('', @, ${moment})`,
    `time_since('', ${moment}, @)`,
    `time_parse(@, ${moment})`,
    "time_parse('2006-01-02', @)",
    "time_parse('1', @)",
    "time_parse(@, '1')",
    "time_parse(@, @)",
    "time_utc(@)",
    `time_add(${moment}, @)`,
  ]
) {
  Deno.test(`the error of ${expression} with a text of 3 MB is short`, () => {
    for (const unit of ["a", "1", "2006", " ", "\u00e9"]) {
      const message = problem(evaluate(expression, unit.repeat(3_000_000 / unit.length)));
      assert.match(message, /^error: /);
      assert.ok(message.length < 4_000, `${message.length} characters`);
    }
  });
}

for (const expression of ["avg(@)", "max(@)", "sort(@)", "abs(@)", "to_upper(@)"]) {
  Deno.test(`the fault of ${expression} names a list of 500,000 objects and does not print it`, () => {
    const list = Array.from({ length: 500_000 }, () => ({ a: 1 }));
    assert.match(
      problem(evaluate(expression, list)),
      /^error: Invalid type for: \[500000 elements\], expected/,
    );
  });
}

Deno.test("a number of 400 digits in a text of JSON is an error, as one with an exponent is", () => {
  for (const number of ["1e400", "1".repeat(400), `-${"1".repeat(400)}.5`]) {
    assert.equal(
      evaluate("parse_json(@)", `{"a": ${number}}`),
      "error: json: cannot unmarshal number into Go value of type float64",
    );
  }
});

Deno.test("expressions that share a budget exceed it together", () => {
  const compiled = compileCommunity("length(map(&@, $))");
  assert.ok(!isFault(compiled));
  const budget = newBudget();
  const around = { bindings: Bindings.none, environment, budget };
  let count = 0;
  while (!isFault(compiled(numbers, around)) && count < 10_000) count++;
  assert.ok(count > 50 && count < 1_000, String(count));
});

Deno.test("work in proportion to the largest review stays within the budget", () => {
  const containers = Array.from({ length: 60_000 }, (_, index) => ({ name: `c${index}`, image: "nginx" }));
  const uses = [
    "length([?image == 'nginx'].name)",
    "length(sort_by(@, &name))",
    "length(map(&to_upper(name), @))",
  ];
  for (const use of uses) assert.equal(evaluate(use, containers), 60_000, use);
});

Deno.test("expanding patterns of a request are refused, those of a policy are not", () => {
  const patterns = [
    "a{1000}".repeat(100),
    "((a{10}){10}){10}".repeat(50),
    `(${"ab".repeat(90)}){1000}`,
    "\\pL".repeat(300),
    `(?i)${"[b-\\x{1e900}]".repeat(70)}`,
    "x".repeat(2_000),
  ];
  for (const pattern of patterns) {
    assert.match(problem(evaluate("regex_match(@, 'a')", pattern)), /too many repetitions/);
  }
  assert.equal(evaluate("regex_match(@, '1.2.3.4')", "^([0-9]{1,3}\\.){3}[0-9]{1,3}$"), true);
  assert.equal(evaluate(`regex_match('${"a?".repeat(1_000)}', @)`, "a"), true);
});

Deno.test("patterns of a request that differ for each element take the steps of compiling them", () => {
  const patterns = Array.from({ length: 1_000 }, (_, index) => `(a${index}){500}`);
  assert.match(problem(evaluate("length([?regex_match(@, 'a')])", patterns)), /steps/);
  assert.equal(evaluate("length([?regex_match(@, 'a')])", patterns.map(() => "(a){500}")), 0);
});

Deno.test("a version range of a megabyte is refused", () => {
  assert.match(
    problem(evaluate("semver_compare('1.2.3', @)", ">1.0.0 ".repeat(150_000))),
    /more than 4096 characters/,
  );
});

const drawing = ["[a-z]{1000}", "a{0,1000}", "(^?$?^?){1000}"];
for (const pattern of drawing) {
  Deno.test(`an expression draws no more random numbers than it has steps for: ${pattern}`, () => {
    let drawn = 0;
    const random = (): number => {
      drawn++;
      return 0.999;
    };
    const list = Array.from({ length: 100_000 }, () => 0), text = `map(&random('${pattern}'), @)`;
    const result = evaluate(text, list, { environment: { ...environment, random } });
    assert.match(problem(result), /takes more than 2000000 steps/);
    assert.ok(drawn <= 410_000, `${drawn}`);
  });
}

Deno.test("large patterns on large texts are refused", () => {
  const text = "a".repeat(1_000_000);
  assert.match(problem(evaluate("regex_match('(a{500}b?){2}c', @)", text)), /too large together/);
  assert.match(problem(evaluate("regex_replace_all('(a{500}b?){2}c', @, '')", text)), /too large together/);
  assert.equal(evaluate("regex_match('a{50}b', @)", text.slice(0, 100_000)), false);
});

Deno.test("large inputs are handled in reasonable time", () => {
  const megabyte = "ab".repeat(500_000);
  const list = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}`, value: index % 7 }));
  const started = processorTime();
  assert.equal(evaluate("length(@)", megabyte), 1_000_000);
  assert.equal(evaluate("length(split(@, 'b'))", megabyte), 500_001);
  assert.equal(evaluate("regex_match('(a+)+$', @)", megabyte), false);
  assert.equal(evaluate("pattern_match('*a*a*a*c', @)", megabyte), false);
  assert.equal(evaluate("length(trim(@, 'ab'))", megabyte), 0);
  assert.equal(evaluate("length(to_upper(@))", megabyte), 1_000_000);
  assert.equal(evaluate("equal_fold(@, to_upper(@))", megabyte), true);
  assert.equal(evaluate("sort_by(@, &value)[-1].value", list), 6);
  assert.equal(evaluate("length(@[?value == `3`].name)", list), 1_429);
  assert.equal(evaluate("length(items(object_from_lists([].name, [].value), 'k', 'v'))", list), 10_000);
  assert.equal(evaluate("x509_decode(@)", megabyte), "error: failed to decode PEM block");
  assert.match(problem(evaluate("add(@, '1')", megabyte)), /invalid operand/);
  assert.match(problem(evaluate("time_utc(@)", megabyte)), /too long/);
  assert.match(problem(evaluate("time_add('2023-01-01T00:00:00Z', @)", megabyte)), /invalid duration/);
  assert.match(problem(evaluate("is_external_url(@)", megabyte)), /too long/);
  assert.ok(processorTime() - started < 10_000);
});

/** Texts in which many begins of PEM share their headers, their body or their end. */
const pemTexts: Readonly<Record<string, string>> = {
  "begins only": "\n-----BEGIN X-----".repeat(10_000),
  "begins with colons": "\n-----BEGIN a:-----".repeat(10_000),
  "begins before one end": "\n-----BEGIN X-----".repeat(10_000) + "\n*\n-----END X-----",
  "headers before a body that is no base64": `${"\n-----BEGIN a:-----".repeat(5_000)}\n${
    "A".repeat(50_000)
  }*\n-----END a:-----${" ".repeat(50_000)}`,
  "begins of many types": Array.from({ length: 8_000 }, (_, index) => `\n-----BEGIN ${index}-----`).join(""),
};

for (const [name, text] of Object.entries(pemTexts)) {
  Deno.test(`a text that is no certificate is read once: ${name}`, () => {
    const begin = processorTime();
    assert.ok(text.length < 200_000, "longer texts are not read");
    assert.equal(evaluate("x509_decode(@)", text), "error: failed to decode PEM block");
    assert.ok(processorTime() - begin < 1_000, "in time");
  });
}

Deno.test("a broken certificate is a fault whichever byte is broken", () => {
  const request = "MIIBTzCBuQIBADASMRAwDgYDVQQDDAdleGFtcGxl";
  for (let length = 0; length <= request.length; length += 4) {
    for (const type of ["CERTIFICATE", "CERTIFICATE REQUEST"]) {
      const pem = `-----BEGIN ${type}-----\n${request.slice(0, length)}\n-----END ${type}-----\n`;
      assert.match(problem(evaluate("x509_decode(@)", pem)), /^error: /);
    }
  }
});

Deno.test("an expression evaluates correctly after a fault", () => {
  const compiled = compileExpression("a.b");
  assert.ok(!isFault(compiled));
  assert.ok(isFault(compiled.evaluate(scopeOf({ a: {} }), environment)));
  assert.equal(compiled.evaluate(scopeOf({ a: { b: 1 } }), environment), 1);
});

const thousand = Array.from({ length: 1_000 }, (_, index) => `n${index}`);

/** Calls whose time no other count shows, with the least steps that they take. A step is some 50 nanoseconds. */
const laborious: readonly (readonly [expression: string, input: Json, steps: number])[] = [
  ["map(&image_normalize(@), @)", thousand, 16_000],
  ["pattern_match(@, 'x')", "?*".repeat(50_000), 200_000],
  ["sort_by(@, &@)", thousand, 16_000],
  ["sort(@)", thousand, 16_000],
  ["length(split(@, 'x'))", "\ud800".repeat(100_000), 25_000],
];
for (const [expression, input, steps] of laborious) {
  Deno.test(`${expression} takes its steps before other requests wait for it`, () => {
    const compiled = compileExpression(expression, { root: "document" });
    assert.ok(!isFault(compiled));
    const budget = newBudget(), full = budget.left;
    const result = compiled.evaluate({ get: () => undefined, all: () => input } as never, {
      ...environment,
      budget,
    });
    assert.ok(!isFault(result), String(result));
    assert.ok(full - budget.left >= steps, `took ${full - budget.left}`);
  });
}

Deno.test("a list of a whole long text is not copied", () => {
  const text = "\ud800".repeat(2_500_000);
  quickly(300, () => {
    for (let turn = 0; turn < 20; turn++) assert.deepEqual(evaluate("length(to_array(@))", text), 1);
  });
});
