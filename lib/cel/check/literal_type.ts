import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  intType,
  nullType,
  stringType,
  uintType,
} from "../types/mod.ts";
import { typeNameOf, type Value } from "../values/mod.ts";

const types: ReadonlyMap<string, CelType> = new Map(
  [nullType, boolType, intType, uintType, doubleType, stringType, bytesType].map((type) => [type.name, type]),
);

/** The type of a literal's value. */
export function literalType(value: Value): CelType {
  return types.get(typeNameOf(value)) ?? dynType;
}
