import { equal, Fault, isList, isObject, type Json, setField } from "../../../json/mod.ts";
import { containsBy } from "../../functions/contains.ts";
import { functionFault } from "../../functions/fault.ts";
import { fieldsOfArguments, searchingFor, wholeValues } from "../../costs.ts";
import { stepsOfMade } from "../../steps.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "../../functions/record.ts";

const pairNeeded = new Fault(
  "invalid value, each array must contain two elements, a pair of string and value",
);

/** The steps of a field of an object that is made, if it has very many. */
const stepsOfMany = 24;

function shortest(lists: readonly (readonly Json[])[]): number {
  return Math.min(...lists.map(({ length }) => length));
}

/** The dialect's functions of lists and objects that Kyverno's dialect lacks or defines differently. */
export const collections: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "at",
    parameters: [parameter("list", "array"), parameter("index", "number")],
    returns: ["any"],
    apply: ([list, index]) => {
      const elements = list as readonly Json[], at = Math.trunc(index as number);
      return elements[at] ?? (at in elements ? null : functionFault("at", `there is no element ${at}`));
    },
  },
  {
    kind: "plain",
    name: "avg",
    parameters: [parameter("numbers", "array[number]")],
    returns: ["number", "null"],
    apply: ([list]) => {
      const numbers = list as readonly number[];
      return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    },
  },
  containsBy(equal, (args, limit) => wholeValues(args, limit) + searchingFor(args, limit)),
  {
    kind: "plain",
    name: "merge",
    parameters: [parameter("objects", "object")],
    variadic: true,
    returns: ["object"],
    cost: (args, limit) => stepsOfMany * fieldsOfArguments(args, limit / stepsOfMany),
    apply: (objects) => {
      const merged: { [key: string]: Json } = {};
      for (const object of objects) {
        for (const [name, value] of Object.entries(isObject(object) ? object : {})) {
          setField(merged, name, value);
        }
      }
      return merged;
    },
  },
  {
    kind: "plain",
    name: "from_items",
    parameters: [parameter("pairs", "array")],
    returns: ["object"],
    cost: ([pairs]) => stepsOfMany * (pairs as readonly Json[]).length,
    apply: ([pairs]) => {
      const object: { [key: string]: Json } = {};
      for (const pair of pairs as readonly Json[]) {
        if (!isList(pair)) return new Fault("invalid type, first argument must be an array of arrays");
        const [name, value] = pair;
        if (pair.length !== 2 || typeof name !== "string") return pairNeeded;
        setField(object, name, value!);
      }
      return object;
    },
  },
  {
    kind: "plain",
    name: "zip",
    parameters: [parameter("lists", "array")],
    variadic: true,
    returns: ["array"],
    cost: (lists) => (stepsOfMade + lists.length) * shortest(lists as readonly (readonly Json[])[]),
    apply: (lists) => {
      const all = lists as readonly (readonly Json[])[];
      return Array.from({ length: shortest(all) }, (_, index) => all.map((list) => list[index]!));
    },
  },
  {
    kind: "by",
    name: "group_by",
    steps: stepsOfMany,
    parameters: [parameter("list", "array"), parameter("expression", "expref")],
    returns: ["object", "null"],
    applyBy: (list, by) => {
      if (list.length === 0) return null;
      const groups = new Map<string, Json[]>();
      for (const element of list) {
        const key = by(element);
        if (key instanceof Fault) return key;
        if (typeof key !== "string") {
          return new Fault("invalid type, the expression must evaluate to a string");
        }
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [element]);
        else group.push(element);
      }
      const object: { [key: string]: Json } = {};
      for (const [key, group] of groups) setField(object, key, group);
      return object;
    },
  },
];

/** The notes of these functions. */
export const collectionNotes: FunctionNotes = {
  at: {
    summary: "The element of a list at an index, counted from 0.",
    examples: [{ expression: "at(['a', 'b'], `1`)", result: "b" }],
  },
  avg: {
    summary: "The mean of a list of numbers; null of an empty one.",
    examples: [{ expression: "avg(`[1, 2, 6]`)", result: 3 }, { expression: "avg(`[]`)", result: null }],
  },
  contains: {
    summary: "Whether a list has an element equal to the value, or a text a part.",
    examples: [{ expression: "contains(`[[1]]`, `[1]`)", result: true }],
  },
  merge: {
    summary: "One object with the fields of all; of fields with one name the last wins.",
    examples: [{ expression: "merge({a: `1`}, {a: `2`})", result: { a: 2 } }],
  },
  from_items: {
    summary: "An object from a list of pairs of a name and a value.",
    examples: [{ expression: 'from_items(`[["a", 1]]`)', result: { a: 1 } }],
  },
  zip: {
    summary: "Lists of the first elements, the second ones and so on, as many as the shortest list has.",
    examples: [{ expression: "zip(['a', 'b'], `[1, 2, 3]`)", result: [["a", 1], ["b", 2]] }],
  },
  group_by: {
    summary: "The elements of a list by the text that an expression has for each; null of an empty list.",
    examples: [{
      expression: "group_by(@, &k).x[].v",
      input: [{ k: "x", v: 1 }, { k: "y", v: 2 }, { k: "x", v: 3 }],
      result: [1, 3],
    }],
  },
};
