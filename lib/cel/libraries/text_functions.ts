import { TextSearch } from "../../json/mod.ts";
import { compilePattern, compiling, isFound, isPattern, matchesPattern } from "../pattern.ts";
import { compilingEffort, searchingEffort } from "../effort.ts";
import { CelFault } from "../fault.ts";
import { boolType, bytesType, intType, listType, mapType, stringType, typeParameter } from "../types/mod.ts";
import { codePoints, costSize, mapSize, type Value } from "../values/mod.ts";
import {
  type ArgumentMistake,
  type CallArgument,
  type FunctionDeclaration,
  method,
  overload,
  type Result,
} from "./library.ts";

const list = listType(typeParameter("A")), map = mapType(typeParameter("A"), typeParameter("B"));

function tenth(value: Result | undefined): number {
  return Math.ceil(costSize(value) * 0.1);
}

function traversal([text]: readonly Result[]): number {
  return tenth(text);
}

/** The cost of searching a text for a pattern: the text's length plus one, times an estimate of the pattern's parts. */
export function searchCost([text, pattern]: readonly Result[]): number {
  return Math.ceil((1 + costSize(text)) * 0.1) * Math.ceil(costSize(pattern) * 0.25);
}

/** Reports a constant that is not a pattern. The pattern is the second argument of every function that takes one. */
function patternMistake([, pattern]: readonly CallArgument[]): ArgumentMistake | undefined {
  return typeof pattern?.value === "string" && !isPattern(pattern.value)
    ? { offset: pattern.offset, message: "invalid matches argument" }
    : undefined;
}

const matches = {
  takes: [stringType, stringType],
  gives: boolType,
  ...compiling((compile) => (text: string, pattern: string) => matchesPattern(text, compile(pattern))),
  check: patternMistake,
  effort: compilingEffort,
  prepare: ([, pattern]: readonly (Value | undefined)[]) => {
    const expression = typeof pattern === "string" ? compilePattern(pattern) : undefined;
    if (expression === undefined || expression instanceof CelFault) return undefined;
    return (text: string) => isFound(expression, text);
  },
} as const;

/** `size` and the functions on text of the standard library. */
export const textFunctions: readonly FunctionDeclaration[] = [
  {
    name: "size",
    overloads: [
      overload({ id: "size_bytes", takes: [bytesType], gives: intType, call: (bytes) => bytes.length }),
      method({ id: "bytes_size", takes: [bytesType], gives: intType, call: (bytes) => bytes.length }),
      overload({ id: "size_list", takes: [list], gives: intType, call: (items) => items.length }),
      method({ id: "list_size", takes: [list], gives: intType, call: (items) => items.length }),
      overload({ id: "size_map", takes: [map], gives: intType, call: mapSize }),
      method({ id: "map_size", takes: [map], gives: intType, call: mapSize }),
      overload({ id: "size_string", takes: [stringType], gives: intType, call: codePoints }),
      method({ id: "string_size", takes: [stringType], gives: intType, call: codePoints }),
    ],
  },
  {
    name: "contains",
    overloads: [
      method({
        id: "contains_string",
        takes: [stringType, stringType],
        gives: boolType,
        call: (text, part) => new TextSearch(part).positionIn(text) >= 0,
        cost: ([text, part]) => tenth(text) * tenth(part),
        superlinear: true,
        effort: searchingEffort,
      }),
    ],
  },
  {
    name: "endsWith",
    overloads: [
      method({
        id: "ends_with_string",
        takes: [stringType, stringType],
        gives: boolType,
        call: (text, part) => text.endsWith(part),
        cost: traversal,
      }),
    ],
  },
  {
    name: "startsWith",
    overloads: [
      method({
        id: "starts_with_string",
        takes: [stringType, stringType],
        gives: boolType,
        call: (text, part) => text.startsWith(part),
        cost: traversal,
      }),
    ],
  },
  {
    name: "matches",
    overloads: [
      // Kubernetes counts the cost of the pattern only when `matches` is called as a method.
      overload({ id: "matches", ...matches }),
      method({ id: "matches_string", ...matches, cost: searchCost }),
    ],
  },
];
