import { compareBytes, countCharacters, Fault, type Json, sortedTexts } from "../../json/mod.ts";
import { maxText } from "../go_strings.ts";
import { perCharacter, searchingFor, sorting } from "../costs.ts";
import { spend, stepsOfSorting } from "../steps.ts";
import { containsBy } from "./contains.ts";
import { tooLarge } from "./fault.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

const list = parameter("list", "array");
const by = parameter("expression", "expref");

/** The standard's functions of lists; those that also take strings or objects among them. */
export const lists: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "length",
    parameters: [parameter("value", "string", "array", "object")],
    returns: ["number"],
    apply: ([value], _environment, budget) => {
      if (typeof value === "string") return countCharacters(value);
      if (Array.isArray(value)) return value.length;
      const count = Object.keys(value as object).length;
      return spend(stepsOfField * count, budget) ?? count;
    },
  },
  // Kyverno crashes when it must compare two lists or two objects here; Postern compares their identity only.
  containsBy((element, search) => element === search, searchingFor),
  {
    kind: "plain",
    name: "join",
    parameters: [parameter("separator", "string"), parameter("strings", "array[string]")],
    returns: ["string"],
    apply: ([separator, strings]) => {
      const parts = strings as readonly string[], between = separator as string;
      let size = between.length * parts.length;
      for (const part of parts) size += part.length;
      return size > maxText ? tooLarge("join") : parts.join(between);
    },
  },
  {
    kind: "plain",
    name: "reverse",
    parameters: [parameter("value", "array", "string")],
    returns: ["array", "string"],
    cost: perCharacter(2),
    apply: ([value]) =>
      typeof value === "string" ? [...value].reverse().join("") : (value as readonly Json[]).toReversed(),
  },
  {
    kind: "plain",
    name: "sort",
    parameters: [parameter("list", "array[string]", "array[number]")],
    returns: ["array[string]", "array[number]"],
    cost: sorting,
    apply: ([value]) => {
      const elements = value as readonly Json[];
      return typeof elements[0] === "string"
        ? sortedTexts(elements as readonly string[])
        : elements.toSorted(ascending);
    },
  },
  {
    kind: "plain",
    name: "to_array",
    parameters: [parameter("value", "any")],
    returns: ["array"],
    apply: ([value]) => Array.isArray(value) ? value : [value!],
  },
  {
    kind: "plain",
    name: "not_null",
    parameters: [parameter("values", "any")],
    variadic: true,
    returns: ["any"],
    apply: (values) => values.find((value) => value !== null) ?? null,
  },
  {
    kind: "by",
    name: "map",
    parameters: [by, list],
    returns: ["array"],
    applyBy: (elements, of) => {
      const mapped: Json[] = [];
      for (const element of elements) {
        const value = of(element);
        if (value instanceof Fault) return value;
        mapped.push(value);
      }
      return mapped;
    },
  },
  {
    kind: "by",
    name: "sort_by",
    steps: stepsOfSorting,
    parameters: [list, by],
    returns: ["array"],
    applyBy: sortBy,
  },
  {
    kind: "by",
    name: "max_by",
    parameters: [list, by],
    returns: ["any"],
    applyBy: (elements, of) => extremeBy(elements, of, 1),
  },
  {
    kind: "by",
    name: "min_by",
    parameters: [list, by],
    returns: ["any"],
    applyBy: (elements, of) => extremeBy(elements, of, -1),
  },
];

/** The steps of reading the name of a field, when an object has so many that they count. */
const stepsOfField = 6;

function ascending(left: Json, right: Json): number {
  return typeof left === "string"
    ? compareBytes(left, right as string)
    : (left as number) - (right as number);
}

function sortBy(elements: readonly Json[], of: (element: Json) => Json | Fault): Json | Fault {
  if (elements.length < 2) return elements;
  const keyed: { readonly key: Json; readonly element: Json }[] = [];
  for (const element of elements) {
    const key = of(element);
    const first = keyed[0]?.key ?? key;
    if (key instanceof Fault) return keyed.length === 0 ? key : new Fault("error in sort_by comparison");
    if (keyed.length === 0 && typeof key !== "number" && typeof key !== "string") {
      return new Fault("invalid type, must be number of string");
    }
    if (typeof key !== typeof first) return new Fault("error in sort_by comparison");
    keyed.push({ key, element });
  }
  return keyed.sort((left, right) => ascending(left.key, right.key)).map(({ element }) => element);
}

function extremeBy(
  elements: readonly Json[],
  of: (element: Json) => Json | Fault,
  sign: 1 | -1,
): Json | Fault {
  if (elements.length < 2) return elements[0] ?? null;
  let best: Json = elements[0]!;
  const first = of(best);
  if (first instanceof Fault) return first;
  if (typeof first !== "number" && typeof first !== "string") {
    return new Fault("invalid type, must be number of string");
  }
  let bestKey: number | string = first;
  for (const element of elements.slice(1)) {
    const key = of(element);
    if (key instanceof Fault) return key;
    if ((typeof key !== "number" && typeof key !== "string") || typeof key !== typeof first) {
      return new Fault(`invalid type, must be ${typeof first}`);
    }
    if (ascending(key, bestKey) * sign > 0) {
      best = element;
      bestKey = key;
    }
  }
  return best;
}

/** The notes of these functions. */
export const listNotes: FunctionNotes = {
  length: {
    summary: "How many characters a string, elements a list or fields an object has.",
    examples: [
      { expression: "length('日本')", result: 2 },
      { expression: "length(@)", input: { a: 1, b: 2 }, result: 2 },
    ],
  },
  contains: {
    summary: "Whether a list has an element, or a string a part.",
    examples: [
      { expression: "contains(['a', 'b'], 'b')", result: true },
      { expression: "contains('foobar', 'oba')", result: true },
      { expression: "contains('5', `5`)", result: false },
    ],
  },
  join: {
    summary: "A list of strings as one, with a separator between them.",
    examples: [{ expression: "join(', ', ['a', 'b'])", result: "a, b" }],
  },
  reverse: {
    summary: "A list or a string from its end to its beginning.",
    examples: [
      { expression: "reverse(`[1, 2, 3]`)", result: [3, 2, 1] },
      { expression: "reverse('abc')", result: "cba" },
    ],
  },
  sort: {
    summary: "A list of strings (by their bytes) or of numbers in ascending order.",
    examples: [{ expression: "sort(['b', 'a', 'B'])", result: ["B", "a", "b"] }],
  },
  to_array: {
    summary: "The value in a list, unless it is a list already.",
    examples: [{ expression: "to_array('a')", result: ["a"] }],
  },
  not_null: {
    summary: "The first argument that is not null.",
    examples: [{ expression: "not_null(missing, 'b', 'c')", input: {}, result: "b" }],
  },
  map: {
    summary: "The results of an expression on each element; null where it has none.",
    examples: [{ expression: "map(&a, @)", input: [{ a: 1 }, {}], result: [1, null] }],
  },
  sort_by: {
    summary: "A list in ascending order of an expression on its elements.",
    examples: [
      {
        expression: "sort_by(@, &age)[].name",
        input: [{ name: "b", age: 3 }, { name: "a", age: 2 }],
        result: ["a", "b"],
      },
    ],
  },
  max_by: {
    summary: "The element for which an expression is greatest.",
    examples: [{ expression: "max_by(@, &age).age", input: [{ age: 3 }, { age: 20 }], result: 20 }],
  },
  min_by: {
    summary: "The element for which an expression is least.",
    examples: [{ expression: "min_by(@, &age).age", input: [{ age: 3 }, { age: 20 }], result: 3 }],
  },
};
