import {
  equal,
  Fault,
  field,
  goFloat,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setField,
  sortedKeys,
} from "../../json/mod.ts";
import { fieldsOfArguments, wholeValues } from "../costs.ts";
import { type Cost, stepsOfMade } from "../steps.ts";
import { argumentFault, functionFault } from "./fault.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";
import { textOf } from "./text_of.ts";

const object = parameter("object", "object");

/** The cost of a function that takes some steps for each field: objects with many fields are slow to read. */
function perField(steps: number): Cost {
  return (args, limit) => steps * fieldsOfArguments(args, limit / steps);
}

/** Functions of objects: the standard's, and Kyverno's that go between objects and lists. */
export const objects: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "keys",
    parameters: [object],
    returns: ["array[string]"],
    cost: perField(12),
    apply: ([value]) => sortedKeys(value as JsonObject),
  },
  {
    kind: "plain",
    name: "values",
    parameters: [object],
    returns: ["array"],
    cost: perField(12),
    apply: ([value]) => sortedKeys(value as JsonObject).map((key) => field(value, key)!),
  },
  {
    kind: "plain",
    name: "merge",
    parameters: [object],
    variadic: true,
    returns: ["object"],
    cost: perField(24),
    apply: (parts) => {
      const merged: { [key: string]: Json } = {};
      for (const part of parts) {
        // Kyverno crashes on anything but objects; Postern returns a fault.
        if (!isObject(part)) return new Fault("merge() takes objects only");
        for (const key of Object.keys(part)) setField(merged, key, part[key]!);
      }
      return merged;
    },
  },
  {
    kind: "plain",
    name: "lookup",
    parameters: [parameter("container", "object", "array"), parameter("key", "string", "number")],
    returns: ["any"],
    apply: ([container, key]) => lookup(container!, key!),
  },
  {
    kind: "plain",
    name: "items",
    parameters: [
      parameter("container", "object", "array"),
      parameter("key", "string"),
      parameter("value", "string"),
    ],
    returns: ["array"],
    cost: ([container]) => (isList(container!) ? stepsOfMade : 18) * entriesIn(container!),
    apply: ([container, key, value]) => items(container!, key as string, value as string),
  },
  {
    kind: "plain",
    name: "object_from_lists",
    parameters: [parameter("keys", "array"), parameter("values", "array")],
    returns: ["object"],
    // An object of many different fields takes a microsecond for each, and numbers become text first.
    cost: ([keys]) => 40 * (keys as readonly Json[]).length,
    apply: ([keys, values]) => {
      const built: { [key: string]: Json } = {};
      for (const [index, key] of (keys as readonly Json[]).entries()) {
        const name = textOf(key);
        if (name === undefined) return argumentFault("object_from_lists", 1, "StringArray");
        setField(built, name, (values as readonly Json[])[index] ?? null);
      }
      return built;
    },
  },
  {
    kind: "plain",
    name: "label_match",
    parameters: [parameter("selector", "object"), parameter("labels", "object")],
    returns: ["boolean"],
    cost: (args, limit) => {
      const steps = perField(10)(args, limit);
      return steps > limit ? steps : steps + wholeValues(args, limit - steps);
    },
    apply: ([selector, labels]) =>
      Object.entries(selector as JsonObject).every(([key, wanted]) => {
        const value = field(labels, key);
        return value !== undefined && equal(value, wanted);
      }),
  },
];

function lookup(container: Json, key: Json): Json | Fault {
  if (isObject(container)) {
    return typeof key === "string" ? field(container, key) ?? null : argumentFault("lookup", 2, "String");
  }
  if (typeof key !== "number") return argumentFault("lookup", 2, "Number");
  if (!Number.isInteger(key)) {
    return functionFault("lookup", `argument #2: expected an integer number but got: ${goFloat(key)}`);
  }
  if (Math.abs(key) >= 2 ** 63) {
    return functionFault(
      "lookup",
      `argument #2: number is outside the range of integer numbers: ${goFloat(key)}`,
    );
  }
  return (container as readonly Json[])[key] ?? null;
}

function items(container: Json, key: string, value: string): Json {
  const item = (name: Json, content: Json): JsonObject => {
    const made: { [key: string]: Json } = {};
    setField(made, key, name);
    setField(made, value, content);
    return made;
  };
  return isObject(container)
    ? sortedKeys(container).map((name) => item(name, container[name]!))
    : (container as readonly Json[]).map((element, index) => item(index, element));
}

function entriesIn(container: Json): number {
  return isList(container) ? container.length : Object.keys(container as JsonObject).length;
}

/** The notes of these functions. */
export const objectNotes: FunctionNotes = {
  keys: {
    summary: "The names of an object's fields, sorted.",
    examples: [{ expression: "keys(@)", input: { b: 1, a: 2 }, result: ["a", "b"] }],
  },
  values: {
    summary: "The values of an object's fields, in the order of their names.",
    examples: [{ expression: "values(@)", input: { b: 1, a: 2 }, result: [2, 1] }],
  },
  merge: {
    summary: "One object with the fields of all; of fields with one name the last wins.",
    examples: [{ expression: 'merge(`{"a": 1, "b": 1}`, `{"b": 2}`)', result: { a: 1, b: 2 } }],
  },
  lookup: {
    summary:
      "The field of an object or the element of a list that has a computed name or index; null when there is none.",
    examples: [
      { expression: "lookup(@, 'a')", input: { a: 1 }, result: 1 },
      { expression: "lookup(@, `5`)", input: [1, 2], result: null },
    ],
  },
  items: {
    summary:
      "A list of objects, one for each field of an object or element of a list, with its name or index and its value.",
    examples: [
      {
        expression: "items(@, 'key', 'value')",
        input: { b: 1, a: 2 },
        result: [{ key: "a", value: 2 }, { key: "b", value: 1 }],
      },
      { expression: "items(@, 'i', 'v')", input: ["x"], result: [{ i: 0, v: "x" }] },
    ],
  },
  object_from_lists: {
    summary: "An object from a list of names and a list of values; null for names without a value.",
    examples: [{ expression: "object_from_lists(['a', 'b'], ['x'])", result: { a: "x", b: null } }],
  },
  label_match: {
    summary: "Whether every label of the first object is in the second with the same value.",
    examples: [
      { expression: 'label_match(`{"app": "web"}`, @)', input: { app: "web", tier: "a" }, result: true },
      { expression: 'label_match(`{"app": "web"}`, @)', input: {}, result: false },
    ],
  },
};
