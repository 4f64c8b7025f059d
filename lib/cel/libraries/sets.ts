import { boolType, listType, typeParameter } from "../types/mod.ts";
import { costSize, equalValues, type Value } from "../values/mod.ts";
import { type FunctionDeclaration, type Library, overload } from "./library.ts";

const list = listType(typeParameter("T"));

function has(values: readonly Value[], element: Value): boolean {
  return values.some((value) => equalValues(value, element));
}

function contains(all: readonly Value[], some: readonly Value[]): boolean {
  return some.every((element) => has(all, element));
}

/** A relation of two lists as sets; `factor` is how often its cost counts each pair of elements. */
function relation(
  name: string,
  factor: number,
  holds: (left: readonly Value[], right: readonly Value[]) => boolean,
): FunctionDeclaration {
  return {
    name: `sets.${name}`,
    overloads: [
      overload({
        id: `list_sets_${name}_list`,
        takes: [list, list],
        gives: boolType,
        call: holds,
        cost: ([left, right]) => 1 + costSize(left) * costSize(right) * factor,
        superlinear: true,
      }),
    ],
  };
}

/** Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`. */
export const setsLibrary: Library = {
  name: "sets",
  functions: [
    relation("contains", 1, contains),
    relation("equivalent", 2, (left, right) => contains(left, right) && contains(right, left)),
    relation(
      "intersects",
      1,
      (left, right) => right.length > 0 && left.some((element) => has(right, element)),
    ),
  ],
};
