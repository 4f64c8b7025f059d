import { failure, isCelFault, noSuchOverload } from "../fault.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from "../types/mod.ts";
import { compareValues, Double, Duration, equalValues, hasOrder, Uint, type Value } from "../values/mod.ts";
import { add } from "./arithmetic.ts";
import { traversing } from "./cost.ts";
import { type FunctionDeclaration, type Library, method, type Result } from "./library.ts";

const summable: Readonly<Record<string, { readonly type: CelType; readonly zero: Value }>> = {
  int: { type: intType, zero: 0 },
  uint: { type: uintType, zero: new Uint(0n) },
  double: { type: doubleType, zero: new Double(0) },
  duration: { type: durationType, zero: new Duration(0n) },
};

const comparable: Readonly<Record<string, CelType>> = {
  int: intType,
  uint: uintType,
  double: doubleType,
  bool: boolType,
  duration: durationType,
  timestamp: timestampType,
  string: stringType,
  bytes: bytesType,
};

/** Elements of different kinds have no order, and count as sorted. */
function isSorted(items: readonly Value[]): Result {
  if (!items.every(hasOrder)) return noSuchOverload("isSorted");
  return items.every((item, index) => index === 0 || !((compareValues(items[index - 1]!, item) ?? 0) > 0));
}

function sum(items: readonly Value[], zero: Value): Result {
  let total: Result = zero;
  for (const item of items) {
    total = add(total, item);
    if (isCelFault(total)) return total;
  }
  return total;
}

function extreme(name: "min" | "max"): (items: readonly Value[]) => Result {
  const sign = name === "min" ? 1 : -1;
  return (items) => {
    let best = items[0];
    if (best === undefined) return failure(`${name} called on empty list`);
    for (const item of items) {
      if (!hasOrder(item)) return noSuchOverload(name);
      if ((compareValues(best, item) ?? 0) * sign > 0) best = item;
    }
    return best;
  };
}

/** One overload for each type that has an order. */
function ordered(
  name: string,
  id: (type: string) => string,
  { gives, call }: {
    readonly gives: (element: CelType) => CelType;
    readonly call: (items: readonly Value[]) => Result;
  },
): FunctionDeclaration {
  return {
    name,
    overloads: Object.entries(comparable).map(([type, element]) =>
      method({ id: id(type), takes: [listType(element)], gives: gives(element), call, cost: traversing })
    ),
  };
}

const element = typeParameter("A");

function search(
  name: "indexOf" | "lastIndexOf",
  id: string,
  find: (items: readonly Value[], holds: (item: Value) => boolean) => number,
): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id,
        takes: [listType(element), element],
        gives: intType,
        call: (items, wanted) => find(items, (item) => equalValues(item, wanted)),
        cost: traversing,
      }),
    ],
  };
}

/** The list functions of Kubernetes: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
export const kubernetesListsLibrary: Library = {
  name: "kubernetes.lists",
  functions: [
    ordered("isSorted", (type) => `list_${type}_is_sorted_bool`, { gives: () => boolType, call: isSorted }),
    {
      name: "sum",
      overloads: Object.entries(summable).map(([name, { type, zero }]) =>
        method({
          id: `list_${name}_sum_${name}`,
          takes: [listType(type)],
          gives: type,
          call: (items) => sum(items, zero),
          cost: traversing,
        })
      ),
    },
    ordered("max", (type) => `list_${type}_max_${type}`, { gives: (type) => type, call: extreme("max") }),
    ordered("min", (type) => `list_${type}_min_${type}`, { gives: (type) => type, call: extreme("min") }),
    search("indexOf", "list_a_index_of_int", (items, holds) => items.findIndex(holds)),
    search("lastIndexOf", "list_a_last_index_of_int", (items, holds) => items.findLastIndex(holds)),
  ],
};
