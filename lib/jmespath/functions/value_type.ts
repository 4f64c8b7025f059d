import { isList, isObject, type Json } from "../../json/mod.ts";
import type { FunctionRecord, ValueType } from "./record.ts";

/** The types of an argument: those of its parameter, which for further arguments is the last. */
export function typesOf({ parameters }: FunctionRecord, index: number): readonly ValueType[] {
  return parameters[Math.min(index, parameters.length - 1)]?.types ?? ["any"];
}

/** Whether a value is of one of the types. */
export function isOfOneType(value: Json, types: readonly ValueType[]): boolean {
  return types.some((type) => isOfType(value, type));
}

/** An expression reference is no value. */
function isOfType(value: Json, type: ValueType): boolean {
  switch (type) {
    case "any":
      return true;
    case "number":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "array":
      return isList(value);
    case "object":
      return isObject(value);
    case "array[number]":
      return isList(value) && value.every((element) => typeof element === "number");
    case "array[string]":
      return isList(value) && value.every((element) => typeof element === "string");
    case "expref":
      return false;
  }
}
