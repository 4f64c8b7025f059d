import fc from "fast-check";
import { isList, isObject, type Json, setField } from "../../../lib/json/mod.ts";

/** A change at the node that is `at`-th in the order of the document, counted around. */
export interface Mutation {
  readonly at: number;
  readonly how: "replace" | "remove" | "repeat" | "wrap" | "rename" | "unwrap";
  readonly by: Json;
  readonly name: string;
}

const names = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "any",
  "all",
  "spec",
  "(a)",
  "=(a)",
  "+(a)",
  "^(a)",
  "*",
  "{{a}}",
];
const texts = [
  "{{",
  "}}",
  "{{ x }}",
  "{{ request }}",
  "{{ @ }}",
  "{{ request.object.{{ a }} }}",
  "$(./../a)",
  "$(<=./a)",
  "\\{{ a }}",
  "{{- a }}",
  "*",
  "?*",
  "!*",
  "a | b & !c",
  ">=1Gi",
  "1-10",
  "5!-7",
  "1h",
  "-5",
  "1e400",
  "NaN",
  "0x10",
  "\u0000",
  "\ud800",
  "é😀",
  "[",
  "a[?",
  "request.object",
  "request.object.spec.containers[]",
  "keys(@)",
  "to_array(@)",
  "random('[a-z]{9}')",
  "regex_match('(', a)",
  "object.spec",
  "1/0",
  "object.x.y",
  "[1,2].map(x, x * x)",
  "Pod",
  "v1",
  "*/*",
  "CREATE",
  "Enforce",
  "/a/-",
  "/a~2",
  "",
];

/** Values that a policy's or an object's author should not have written there. */
const values = fc.oneof(
  { maxDepth: 2 },
  fc.constantFrom<Json>(
    { toString: "a" },
    { toString: "a", valueOf: null },
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    [],
    {},
    [null],
    [[]],
    { a: null },
  ),
  fc.constantFrom(...texts),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

/** Few changes mostly, so that what is changed is still read. */
export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    at: fc.nat(200),
    how: fc.constantFrom("replace", "remove", "repeat", "wrap", "rename", "unwrap"),
    by: values,
    name: fc.constantFrom(...names),
  }),
  { maxLength: 4 },
);

/** The document with all changes made, one after the other. */
export function mutated(document: Json, changes: readonly Mutation[]): Json {
  return changes.reduce((value, change) => changed(value, change), document);
}

function changed(document: Json, { at, how, by, name }: Mutation): Json {
  const target = at % countOf(document);
  let index = -1;
  return visit(document) ?? null;

  function visit(value: Json): Json | undefined {
    if (++index === target) return edited(value);
    if (isList(value)) return value.flatMap((item) => visit(item) ?? []);
    if (!isObject(value)) return value;
    const result: { [key: string]: Json } = {};
    for (const [key, child] of Object.entries(value)) {
      const isTarget = index + 1 === target;
      const kept = visit(child);
      if (kept !== undefined) setField(result, isTarget && how === "rename" ? name : key, kept);
    }
    return result;
  }

  function edited(value: Json): Json | undefined {
    switch (how) {
      case "replace":
        return by;
      case "remove":
        return undefined;
      case "repeat":
        return isList(value) ? [...value, ...value] : [value, value];
      case "wrap":
        return name === "" ? [value] : wrapped(name, value);
      case "unwrap":
        return isList(value) ? value[0] : isObject(value) ? Object.values(value)[0] : value;
      case "rename":
        return value;
    }
  }
}

function wrapped(name: string, value: Json): Json {
  const result: { [key: string]: Json } = {};
  setField(result, name, value);
  return result;
}

function countOf(value: Json): number {
  if (isList(value)) return value.reduce((sum: number, item) => sum + countOf(item), 1);
  return isObject(value) ? Object.values(value).reduce((sum: number, item) => sum + countOf(item), 1) : 1;
}
