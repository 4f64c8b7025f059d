import { failure, noSuchOverload } from "../fault.ts";
import type { CelExpression, Macro } from "../syntax/mod.ts";
import { boolType, type CelType, doubleType, dynType, intType, listType, uintType } from "../types/mod.ts";
import {
  compareValues,
  type Float,
  floatValue,
  type Int,
  numeric,
  toFloat,
  toInt,
  toUint,
  typeNameOf,
  Uint,
  type Value,
} from "../values/mod.ts";
import { work } from "../work.ts";
import { isNamespace } from "./bindings.ts";
import { type FunctionDeclaration, type Library, type Overload, overload, type Result } from "./library.ts";

/** Whether an argument of `least` or `greatest` may be a number, as far as its form shows. */
function mayBeNumber(argument: CelExpression): boolean {
  if (argument.kind === "literal") return numeric(argument.value) !== undefined;
  return argument.kind !== "list" && argument.kind !== "map" && argument.kind !== "struct";
}

/** `math.least(…)` and `math.greatest(…)`: any number of arguments, or one list. */
function extremeMacro(name: string, internal: string): Macro {
  return {
    name,
    style: "method",
    arity: "any",
    expand({ target, args, offset, fail }) {
      if (!isNamespace(target, "math")) return undefined;
      const [only] = args;
      if (only === undefined) return fail(target!.offset, `math.${name}() requires at least one argument`);
      if (args.length === 1) {
        const numbers = only.kind === "list" && only.elements.length > 0 &&
          only.elements.every(({ value }) => mayBeNumber(value));
        if (!numbers && !mayBeNumber(only)) {
          return fail(only.offset, `math.${name}() invalid single argument value`);
        }
        return { kind: "call", name: internal, args, offset };
      }
      for (const argument of args) {
        if (!mayBeNumber(argument)) {
          return fail(argument.offset, `math.${name}() simple literal arguments must be numeric`);
        }
      }
      if (args.length === 2) return { kind: "call", name: internal, args, offset };
      const elements = args.map((value) => ({ value, optional: false }));
      return { kind: "call", name: internal, args: [{ kind: "list", elements, offset }], offset };
    },
  };
}

/** The least or greatest of some numbers; of equal numbers the first. */
function extreme(name: string, numbers: readonly Value[], beats: (order: number) => boolean): Result {
  let best = numbers[0];
  if (best === undefined) return failure(`${name}(list) argument must not be empty`);
  if (numeric(best) === undefined) return noSuchOverload();
  for (const number of numbers) {
    work(60);
    const order = compareValues(number, best);
    if (order === undefined) return noSuchOverload();
    if (beats(order)) best = number;
  }
  return best;
}

function extremeFunction(name: string, beats: (order: number) => boolean): FunctionDeclaration {
  const kinds = { double: doubleType, int: intType, uint: uintType };
  const call = (...values: readonly Value[]): Result => {
    const [first] = values;
    if (values.length === 1 && Array.isArray(first)) return extreme(name, first, beats);
    return values.every((value) => numeric(value) !== undefined)
      ? extreme(name, values, beats)
      : noSuchOverload(`${name}(${values.map(typeNameOf).join(", ")})`);
  };
  const overloads: Overload[] = [];
  const declare = (suffix: string, takes: readonly CelType[], gives: CelType): void => {
    overloads.push(
      overload({ id: `${name.replace(".", "_")}_${suffix}`, takes, gives, call, dispatches: true }),
    );
  };
  for (const [id, type] of Object.entries(kinds)) {
    declare(id, [type], type);
    declare(`list_${id}`, [listType(type)], type);
    for (const [otherId, other] of Object.entries(kinds)) {
      declare(`${id}_${otherId}`, [type, other], id === otherId ? type : dynType);
    }
  }
  return { name, overloads };
}

/** A function of one double. */
function ofDouble(
  name: string,
  compute: (value: number) => number | boolean,
  gives: CelType,
): FunctionDeclaration {
  const call = (value: Float): Result => {
    const result = compute(floatValue(value));
    return typeof result === "number" ? toFloat(result) : result;
  };
  return {
    name: `math.${name}`,
    overloads: [overload({ id: `math_${name}_double`, takes: [doubleType], gives, call })],
  };
}

/** Rounds halves away from zero, as Go does. */
function round(value: number): number {
  return Number.isInteger(value) ? value : Math.sign(value) * Math.floor(Math.abs(value) + 0.5);
}

/** An operation on the bits of two ints or two uints. */
function bitwise(name: string, compute: (left: bigint, right: bigint) => bigint): FunctionDeclaration {
  return {
    name: `math.${name}`,
    overloads: [
      overload({
        id: `math_${name}_int_int`,
        takes: [intType, intType],
        gives: intType,
        call: (left, right) => toInt(BigInt.asIntN(64, compute(BigInt(left), BigInt(right)))),
      }),
      overload({
        id: `math_${name}_uint_uint`,
        takes: [uintType, uintType],
        gives: uintType,
        call: (left, right) => toUint(compute(left.value, right.value)),
      }),
    ],
  };
}

function shift(name: string, compute: (bits: bigint, by: bigint) => bigint): FunctionDeclaration {
  const shifted = (bits: bigint, by: Int): bigint | undefined => {
    if (by < 0) return undefined;
    return by >= 64 ? 0n : compute(BigInt.asUintN(64, bits), BigInt(by));
  };
  const negative = (by: Int): Result => failure(`math.${name}() negative offset: ${by}`);
  return {
    name: `math.${name}`,
    overloads: [
      overload({
        id: `math_${name}_int_int`,
        takes: [intType, intType],
        gives: intType,
        call: (value, by) => {
          const bits = shifted(BigInt(value), by);
          return bits === undefined ? negative(by) : toInt(BigInt.asIntN(64, bits));
        },
      }),
      overload({
        id: `math_${name}_uint_int`,
        takes: [uintType, intType],
        gives: uintType,
        call: ({ value }, by) => {
          const bits = shifted(value, by);
          return bits === undefined ? negative(by) : toUint(BigInt.asUintN(64, bits));
        },
      }),
    ],
  };
}

/** Numbers: extremes, rounding, signs, bits and roots. */
export const mathLibrary: Library = {
  name: "math",
  macros: [extremeMacro("least", "math.@min"), extremeMacro("greatest", "math.@max")],
  functions: [
    extremeFunction("math.@min", (order) => order < 0),
    extremeFunction("math.@max", (order) => order > 0),
    ofDouble("ceil", Math.ceil, doubleType),
    ofDouble("floor", Math.floor, doubleType),
    ofDouble("round", round, doubleType),
    ofDouble("trunc", Math.trunc, doubleType),
    ofDouble("isInf", (value) => Math.abs(value) === Infinity, boolType),
    ofDouble("isNaN", Number.isNaN, boolType),
    ofDouble("isFinite", Number.isFinite, boolType),
    {
      name: "math.abs",
      overloads: [
        ...ofDouble("abs", Math.abs, doubleType).overloads,
        overload({
          id: "math_abs_int",
          takes: [intType],
          gives: intType,
          call: (value) => value < 0 ? toInt(-BigInt(value)) : value,
        }),
        overload({ id: "math_abs_uint", takes: [uintType], gives: uintType, call: (value) => value }),
      ],
    },
    {
      name: "math.sign",
      overloads: [
        ...ofDouble("sign", (value) => Math.sign(value) + 0, doubleType).overloads,
        overload({
          id: "math_sign_int",
          takes: [intType],
          gives: intType,
          call: (value) => value < 0 ? -1 : value > 0 ? 1 : 0,
        }),
        overload({
          id: "math_sign_uint",
          takes: [uintType],
          gives: uintType,
          call: ({ value }) => new Uint(value === 0n ? 0n : 1n),
        }),
      ],
    },
    bitwise("bitAnd", (left, right) => left & right),
    bitwise("bitOr", (left, right) => left | right),
    bitwise("bitXor", (left, right) => left ^ right),
    {
      name: "math.bitNot",
      overloads: [
        overload({
          id: "math_bitNot_int_int",
          takes: [intType],
          gives: intType,
          call: (value) => toInt(~BigInt(value)),
        }),
        overload({
          id: "math_bitNot_uint_uint",
          takes: [uintType],
          gives: uintType,
          call: ({ value }) => toUint(BigInt.asUintN(64, ~value)),
        }),
      ],
    },
    shift("bitShiftLeft", (bits, by) => bits << by),
    shift("bitShiftRight", (bits, by) => bits >> by),
    {
      name: "math.sqrt",
      overloads: [
        ...ofDouble("sqrt", Math.sqrt, doubleType).overloads,
        overload({
          id: "math_sqrt_int",
          takes: [intType],
          gives: doubleType,
          call: (value) => toFloat(Math.sqrt(Number(value))),
        }),
        overload({
          id: "math_sqrt_uint",
          takes: [uintType],
          gives: doubleType,
          call: ({ value }) => toFloat(Math.sqrt(Number(value))),
        }),
      ],
    },
  ],
};
