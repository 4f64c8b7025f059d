import { compareBytes, type Json } from "../../json/mod.ts";
import { parseFloat64 } from "../go_strings.ts";
import { perCharacter } from "../costs.ts";
import { functionFault } from "./fault.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

function ofNumber(name: string, compute: (value: number) => number): FunctionRecord {
  return {
    kind: "plain",
    name,
    parameters: [parameter("value", "number")],
    returns: ["number"],
    apply: ([value]) => compute(value as number),
  };
}

/** The extreme element of a list of numbers or of strings; null of an empty one. */
function extreme(list: readonly Json[], sign: 1 | -1): Json {
  let best = list[0] ?? null;
  for (const element of list) {
    const order = typeof element === "string" && typeof best === "string"
      ? compareBytes(element, best)
      : (element as number) - (best as number);
    if (order * sign > 0) best = element;
  }
  return best;
}

/** The standard's functions of numbers, and Kyverno's `round`. */
export const numbers: readonly FunctionRecord[] = [
  ofNumber("abs", Math.abs),
  ofNumber("ceil", Math.ceil),
  ofNumber("floor", Math.floor),
  {
    kind: "plain",
    name: "avg",
    parameters: [parameter("numbers", "array[number]")],
    returns: ["number"],
    apply: ([list]) => {
      const elements = list as readonly number[];
      return elements.reduce((total, element) => total + element, 0) / elements.length;
    },
  },
  {
    kind: "plain",
    name: "max",
    parameters: [parameter("list", "array[number]", "array[string]")],
    returns: ["number", "string", "null"],
    apply: ([list]) => extreme(list as readonly Json[], 1),
  },
  {
    kind: "plain",
    name: "min",
    parameters: [parameter("list", "array[number]", "array[string]")],
    returns: ["number", "string", "null"],
    apply: ([list]) => extreme(list as readonly Json[], -1),
  },
  {
    kind: "plain",
    name: "to_number",
    parameters: [parameter("value", "any")],
    returns: ["number", "null"],
    integerProblem: "unknown type",
    cost: perCharacter(0.25),
    apply: ([value]) => {
      if (typeof value === "number") return value;
      return typeof value === "string" ? parseFloat64(value) ?? null : null;
    },
  },
  {
    kind: "plain",
    name: "round",
    parameters: [parameter("value", "number"), parameter("digits", "number")],
    returns: ["number"],
    apply: ([value, digits]) => round(value as number, digits as number),
  },
];

function round(value: number, digits: number): Json | ReturnType<typeof functionFault> {
  if (!Number.isInteger(digits) || Math.abs(digits) >= 2 ** 63) {
    return functionFault("round", "Non-integer argument(s) passed for round off");
  }
  // Kyverno parity: the two numbers are missing from the message. Pinned by tests/jmespath/texts_test.ts.
  if (digits < 0) {
    return functionFault("round", "%!d(MISSING) argument is out of bounds (%!d(MISSING))");
  }
  // A power operator need not be exact.
  const shift = Number(`1e${digits}`);
  const shifted = value * shift;
  return Math.sign(shifted) * roundHalfUp(Math.abs(shifted)) / shift;
}

/** Rounds halves up, without the error of adding one half to 0.49999999999999994. */
function roundHalfUp(value: number): number {
  const whole = Math.floor(value);
  return value - whole >= 0.5 ? whole + 1 : whole;
}

/** The notes of these functions. */
export const numberNotes: FunctionNotes = {
  abs: {
    summary: "The number without its sign.",
    examples: [{ expression: "abs(`-2.5`)", result: 2.5 }],
  },
  ceil: {
    summary: "The next whole number above.",
    examples: [{ expression: "ceil(`1.2`)", result: 2 }],
  },
  floor: {
    summary: "The next whole number below.",
    examples: [{ expression: "floor(`-1.2`)", result: -2 }],
  },
  avg: {
    summary: "The mean of a list of numbers.",
    examples: [{ expression: "avg(`[1, 2, 6]`)", result: 3 }],
  },
  max: {
    summary: "The greatest element of a list of numbers or of strings.",
    examples: [
      { expression: "max(`[3, 10, 2]`)", result: 10 },
      { expression: "max(`[]`)", result: null },
    ],
  },
  min: {
    summary: "The least element of a list of numbers or of strings.",
    examples: [{ expression: "min(['b', 'a'])", result: "a" }],
  },
  to_number: {
    summary: "A number from its text; null from anything that is none.",
    examples: [
      { expression: "to_number('1e3')", result: 1000 },
      { expression: "to_number('1Gi')", result: null },
    ],
  },
  round: {
    summary: "The number rounded to a number of decimal places, halves away from zero.",
    examples: [
      { expression: "round(`3.14159`, `2`)", result: 3.14 },
      { expression: "round(`-2.5`, `0`)", result: -3 },
    ],
  },
};
