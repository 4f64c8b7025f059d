import assert from "node:assert/strict";
import fc from "fast-check";
import { completed, type Json, parseInStages } from "../../lib/json/mod.ts";

/** The result of parsing: the value as text, so that the order of names counts, or that it throws. */
function result(parse: () => Json): string {
  try {
    return JSON.stringify(parse());
  } catch (cause) {
    assert.ok(cause instanceof SyntaxError);
    return "SyntaxError";
  }
}

function compare(text: string): void {
  const expected = result(() => JSON.parse(text) as Json);
  for (const most of [0, 1, 3, 8, 30]) {
    assert.equal(result(() => completed(parseInStages(text, most))), expected, `${text} by ${most}`);
  }
}

const texts = [
  ...[
    '{"a":1,"b":[1,2,{"c":"x"}],"d":{}}',
    "[[[1],[2]],3]",
    '{"__proto__":{"a":[1,2]},"b":1}',
    '{"1":[0,0],"0":[0,0]}',
  ],
  ...[
    '{"a":[1,2],"a":3}',
    '{"a":3,"b":1,"a":[1,2]}',
    " [ 1 , 2 ] ",
    '"a,b"',
    "12,3",
    '["\\"],[\\\\",1,"\\\\\\\\"]',
    "",
  ],
  ...[
    "[1,2",
    "[1,,2]",
    "[1,2,]",
    "[,1,2]",
    '{"a":1,}',
    '{"a":[1,2],}',
    "[[1,2]3,4]",
    "[3[1,2],4]",
    "[1,2]]",
    "[1,2}",
  ],
  ...[
    '{"a"[1,2]}',
    '{"a":[1,2]:3}',
    "{[1,2]:1}",
    '["a":[1,2]]',
    "[1,2][3,4]",
    "[1,2] x",
    "x[1,2]",
    '{"a":"x,"',
    "{1,2}",
  ],
  ...[
    "[1,2]\u00a0",
    "[[1,2],\u00a0]",
    "[[1,2] [3,4]]",
    '{"a":[1,2] "b":1}',
    '{"b":1 "a":[1,2]}',
    "]",
    "[1,[2,3],]",
  ],
];
for (const text of texts) {
  Deno.test(`parseInStages() parses ${JSON.stringify(text)} as JSON.parse does`, () => compare(text));
}

Deno.test("parseInStages() parses any JSON, whole or damaged, as JSON.parse does", () => {
  const edit = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...'[]{},:"\\ 1n'));
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.array(edit, { maxLength: 2 }), (json, edits) => {
      let text = json;
      for (const [at, removed, added] of edits) {
        const start = at % (text.length + 1);
        text = text.slice(0, start) + (removed > 0 ? "" : added) + text.slice(start + removed);
      }
      compare(text);
    }),
    { numRuns: 10_000 },
  );
});

Deno.test("a long text is parsed in many stages, a short one in none", () => {
  const long = JSON.stringify({
    labels: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`l${i}`, "x"])),
  });
  const stagesOf = (text: string): number => [...parseInStages(text)].length;
  assert.ok(stagesOf(long) >= 4);
  assert.equal(stagesOf("[1,2]"), 0);
});
