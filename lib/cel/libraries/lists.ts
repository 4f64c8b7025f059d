import { failure, noSuchOverload } from "../fault.ts";
import { type Comprehension, type Macro, variableName } from "../syntax/mod.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from "../types/mod.ts";
import {
  compareValues,
  costSize,
  equalValues,
  type Int,
  isInt,
  isListValue,
  typeNameOf,
  type Value,
} from "../values/mod.ts";
import { work } from "../work.ts";
import { type Library, method, type Overload, overload, type Result } from "./library.ts";

const element = typeParameter("T");
const list = listType(element);
const sorted: Readonly<Record<string, CelType>> = {
  int: intType,
  uint: uintType,
  double: doubleType,
  bool: boolType,
  "google.protobuf.Duration": durationType,
  "google.protobuf.Timestamp": timestampType,
  string: stringType,
  bytes: bytesType,
};
/** The most elements of `lists.range`: more than an expression can create within its budget. */
const maxRange = 1_000_000;

/** The cost of a call that makes a list: one for the call, ten for the list, and the cost of its elements. */
function making(elements: number): number {
  return Math.max(0, Math.floor(elements) + 11);
}

/** The cost of comparing every element of a list with every other. */
function comparingAll(list: Result | undefined): number {
  const size = costSize(list);
  const first = isListValue(list) ? list[0] : undefined;
  const isLong = typeof first === "string" || first instanceof Uint8Array;
  return making(size * size * (isLong ? 2.1 : 2));
}

/** The effort of sorting a list. */
function sorting(list: Result | undefined): number {
  return isListValue(list) ? list.length * 400 : 0;
}

function slice(items: readonly Value[], start: number | bigint, end: number | bigint): Result {
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) return failure(`${call}, negative indexes not supported`);
  if (start > end) return failure(`${call}, start index must be less than or equal to end index`);
  if (items.length < end) return failure(`${call}, list is length ${items.length}`);
  return items.slice(Number(start), Number(end));
}

/**
 * Adds the elements of a list and of the lists in it. They count before they are added: a few lists that hold one list
 * many times are small, and flat too large for the memory.
 */
function flattenInto(flat: Value[], items: readonly Value[], depth: number): readonly Value[] {
  work(90 * items.length);
  for (const item of items) {
    if (isListValue(item) && depth > 0) flattenInto(flat, item, depth - 1);
    else flat.push(item);
  }
  return flat;
}

function flattenTo(items: Value, depth: Value): Result {
  if (!isListValue(items) || !isInt(depth)) return noSuchOverload(`${typeNameOf(items)}.flatten()`);
  if (depth < 0) return failure("level must be non-negative");
  return flattenInto([], items, Math.min(Number(depth), 100));
}

function distinct(items: readonly Value[]): readonly Value[] {
  const kept: Value[] = [];
  for (const item of items) if (!kept.some((other) => equalValues(item, other))) kept.push(item);
  return kept;
}

function sortBy(items: Value, keys: Value): Result {
  if (!isListValue(items) || !isListValue(keys)) return noSuchOverload("sort");
  const [first] = keys;
  if (first === undefined) return items;
  const type = typeNameOf(first);
  if (compareValues(first, first) === undefined) return failure("list elements must be comparable");
  if (keys.some((key) => typeNameOf(key) !== type)) return failure("list elements must have the same type");
  const order = items.map((_, index) => index);
  order.sort((left, right) => compareValues(keys[left]!, keys[right]!) || 0);
  return order.map((index) => items[index]!);
}

/** `list.sortBy(x, key)`: the list, sorted by the key of each element. */
const sortByMacro: Macro = {
  name: "sortBy",
  style: "method",
  arity: 2,
  expand({ target, args, offset, fail }) {
    const [variable, body] = args;
    if (target === undefined || variable === undefined || body === undefined) return undefined;
    const name = variableName(variable);
    if (name === undefined) return fail(variable.offset, "argument must be a simple name");
    const input = { kind: "ident", name: "@__sortBy_input__", offset } as const;
    const keys: Comprehension = {
      kind: "comprehension",
      fold: "list",
      range: input,
      variables: [name],
      body,
      offset,
    };
    return {
      kind: "bind",
      name: input.name,
      value: target,
      body: { kind: "call", name: "@sortByAssociatedKeys", target: input, args: [keys], offset },
      offset,
    };
  },
};

function sortOverloads(): Overload[] {
  return Object.entries(sorted).map(([name, type]) =>
    method({
      id: `list_${name}_sort`,
      takes: [listType(type)],
      gives: listType(type),
      call: (items: Value) => sortBy(items, items),
      cost: ([items]) => comparingAll(items),
      effort: ([items]) => sorting(items),
      dispatches: true,
    })
  );
}

function sortByOverloads(): Overload[] {
  const call = sortBy as (items: readonly Value[], keys: readonly Value[]) => Result;
  return Object.entries(sorted).map(([name, type]) =>
    method({
      id: `list_${name}_sortByAssociatedKeys`,
      takes: [list, listType(type)],
      gives: list,
      call,
      cost: ([, keys]) => comparingAll(keys),
      effort: ([, keys]) => sorting(keys),
      dispatches: true,
    })
  );
}

/** The whole numbers from 0 up to a count; none for a negative one, as in the API server's policies. */
function range(count: Int): Result {
  if (count > maxRange) {
    return failure(`lists.range: size ${count} exceeds maximum allowed (${maxRange})`);
  }
  return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => index);
}

/** Lists: `slice`, `flatten`, `sort`, `sortBy`, `distinct`, `reverse` and `lists.range`. */
export const listsLibrary: Library = {
  name: "lists",
  macros: [sortByMacro],
  functions: [
    {
      name: "slice",
      overloads: [
        method({
          id: "list_slice",
          takes: [list, intType, intType],
          gives: list,
          call: slice,
          cost: (_, result) => making(costSize(result)),
        }),
      ],
    },
    {
      name: "flatten",
      overloads: [
        method({
          id: "list_flatten",
          takes: [listType(list)],
          gives: list,
          call: (items) => flattenTo(items, 1),
          cost: ([items]) => making(costSize(items)),
          dispatches: true,
        }),
        method({
          id: "list_flatten_int",
          takes: [listType(dynType), intType],
          gives: listType(dynType),
          call: flattenTo,
          cost: ([items, depth]) => making(costSize(items) * (isInt(depth) ? Number(depth) : 1)),
          dispatches: true,
        }),
      ],
    },
    { name: "sort", overloads: sortOverloads() },
    { name: "@sortByAssociatedKeys", overloads: sortByOverloads() },
    {
      name: "lists.range",
      overloads: [
        overload({
          id: "lists_range",
          takes: [intType],
          gives: listType(intType),
          call: range,
          cost: (_, result) => making(costSize(result)),
        }),
      ],
    },
    {
      name: "reverse",
      overloads: [
        method({
          id: "list_reverse",
          takes: [list],
          gives: list,
          call: (items) => items.toReversed(),
          cost: (_, result) => making(costSize(result)),
        }),
      ],
    },
    {
      name: "distinct",
      overloads: [
        method({
          id: "list_distinct",
          takes: [list],
          gives: list,
          call: distinct,
          cost: ([items]) => comparingAll(items),
          superlinear: true,
        }),
      ],
    },
  ],
};
