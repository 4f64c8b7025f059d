import { failure, noSuchOverload } from "../fault.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from "../types/mod.ts";
import {
  compareValues,
  costSize,
  equalValues,
  hasOrder,
  isListValue,
  isMapValue,
  mapGet,
  Opaque,
  typeNameOf,
  type Value,
} from "../values/mod.ts";
import { add, divide, misfitOperands, modulo, multiply, negate, subtract } from "./arithmetic.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  type Overload,
  overload,
  type Result,
} from "./library.ts";

const a = typeParameter("A"), b = typeParameter("B");
const listOfA = listType(a), mapOfAB = mapType(a, b);

/** Overloads that share one implementation, which checks the kinds of its arguments. */
function shared(
  call: Implementation,
  signatures: Readonly<Record<string, readonly [...CelType[], CelType]>>,
  costs: Readonly<Record<string, NonNullable<Overload["cost"]>>> = {},
): Overload[] {
  return Object.entries(signatures).map(([id, types]) => {
    const cost = costs[id];
    const definition = {
      id,
      takes: types.slice(0, -1),
      gives: types.at(-1)!,
      call,
      dispatches: true as const,
    };
    return overload(cost === undefined ? definition : { ...definition, cost });
  });
}

function sumOfSizes([left, right]: readonly Result[]): number {
  return Math.ceil((costSize(left) + costSize(right)) * 0.1);
}

function smallerSize([left, right]: readonly Result[]): number {
  return Math.ceil(Math.min(costSize(left), costSize(right)) * 0.1);
}

/** `<`, `<=`, `>` or `>=`: the same signatures under four names. */
function relation(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  const call = (left: Value, right: Value): Result => {
    const order = compareValues(left, right);
    if (order === undefined) return misfitOperands(name, left, { hasOperator: hasOrder(left) });
    return Number.isNaN(order) ? failure("NaN values cannot be ordered") : holds(order);
  };
  const numbers = { int64: intType, uint64: uintType, double: doubleType };
  const signatures: Record<string, readonly [CelType, CelType, CelType]> = {};
  const plain = { bool: boolType, string: stringType, bytes: bytesType, timestamp: timestampType };
  for (const [type, of] of Object.entries({ ...plain, duration: durationType })) {
    signatures[`${id}_${type}`] = [of, of, boolType];
  }
  for (const [left, leftType] of Object.entries(numbers)) {
    for (const [right, rightType] of Object.entries(numbers)) {
      signatures[left === right ? `${id}_${left}` : `${id}_${left}_${right}`] = [
        leftType,
        rightType,
        boolType,
      ];
    }
  }
  return {
    name,
    overloads: shared(call, signatures, { [`${id}_string`]: smallerSize, [`${id}_bytes`]: smallerSize }),
  };
}

/**
 * `a == b`. Kyverno parity: a left operand of a library's type can be compared with its own type and with null only; as
 * a right operand it can be compared with any value. Pinned by "a library's value has no equality with other types".
 */
function equality(left: Value, right: Value): Result {
  if (left instanceof Opaque && right !== null && typeNameOf(right) !== left.type.name) {
    return noSuchOverload();
  }
  return equalValues(left, right);
}

function isIn(element: Value, container: Value): Result {
  if (isListValue(container)) {
    for (const other of container) if (equalValues(element, other)) return true;
    return false;
  }
  return isMapValue(container) ? mapGet(container, element) !== undefined : noSuchOverload();
}

/**
 * The operators. The planner implements `&&`, `||`, `?:`, `==`, `[]` and similar ones: here only their types matter.
 */
export const operators: readonly FunctionDeclaration[] = [
  {
    name: "_+_",
    overloads: shared(add, {
      add_bytes: [bytesType, bytesType, bytesType],
      add_double: [doubleType, doubleType, doubleType],
      add_duration_duration: [durationType, durationType, durationType],
      add_duration_timestamp: [durationType, timestampType, timestampType],
      add_timestamp_duration: [timestampType, durationType, timestampType],
      add_int64: [intType, intType, intType],
      add_list: [listOfA, listOfA, listOfA],
      add_string: [stringType, stringType, stringType],
      add_uint64: [uintType, uintType, uintType],
    }, { add_string: sumOfSizes, add_bytes: sumOfSizes }),
  },
  {
    name: "_-_",
    overloads: shared(subtract, {
      subtract_double: [doubleType, doubleType, doubleType],
      subtract_duration_duration: [durationType, durationType, durationType],
      subtract_int64: [intType, intType, intType],
      subtract_timestamp_duration: [timestampType, durationType, timestampType],
      subtract_timestamp_timestamp: [timestampType, timestampType, durationType],
      subtract_uint64: [uintType, uintType, uintType],
    }),
  },
  {
    name: "_*_",
    overloads: shared(multiply, {
      multiply_double: [doubleType, doubleType, doubleType],
      multiply_int64: [intType, intType, intType],
      multiply_uint64: [uintType, uintType, uintType],
    }),
  },
  {
    name: "_/_",
    overloads: shared(divide, {
      divide_double: [doubleType, doubleType, doubleType],
      divide_int64: [intType, intType, intType],
      divide_uint64: [uintType, uintType, uintType],
    }),
  },
  {
    name: "_%_",
    overloads: shared(modulo, {
      modulo_int64: [intType, intType, intType],
      modulo_uint64: [uintType, uintType, uintType],
    }),
  },
  {
    name: "-_",
    overloads: shared(negate, {
      negate_double: [doubleType, doubleType],
      negate_int64: [intType, intType],
    }),
  },
  {
    name: "!_",
    overloads: [
      overload({
        id: "logical_not",
        takes: [boolType],
        gives: boolType,
        call: (value: Value) => typeof value === "boolean" ? !value : noSuchOverload(),
        dispatches: true,
      }),
    ],
  },
  relation("_<_", "less", (order) => order < 0),
  relation("_<=_", "less_equals", (order) => order <= 0),
  relation("_>_", "greater", (order) => order > 0),
  relation("_>=_", "greater_equals", (order) => order >= 0),
  {
    name: "_==_",
    overloads: [
      overload({ id: "equals", takes: [a, a], gives: boolType, call: equality, cost: equalityCost }),
    ],
  },
  {
    name: "_!=_",
    overloads: [
      overload({
        id: "not_equals",
        takes: [a, a],
        gives: boolType,
        call: (left, right) => !equalValues(left, right),
        cost: smallerSize,
      }),
    ],
  },
  {
    name: "@in",
    overloads: shared(isIn, {
      in_list: [a, listOfA, boolType],
      in_map: [a, mapOfAB, boolType],
    }, { in_list: ([, list]) => costSize(list) }),
  },
  {
    name: "_?_:_",
    overloads: [overload({ id: "conditional", takes: [boolType, a, a], gives: a, call: (_, yes) => yes })],
  },
  {
    name: "_[_]",
    overloads: [
      overload({ id: "index_list", takes: [listOfA, intType], gives: a, call: (list) => list }),
      overload({ id: "index_map", takes: [mapOfAB, a], gives: b, call: (map) => map }),
    ],
  },
];

/** The cost of `==`. Values of a library's type count 1, whatever they hold. */
function equalityCost(args: readonly Result[]): number {
  return args[0] instanceof Opaque ? 1 : smallerSize(args);
}
