import { isList, isObject, type Json } from "../../json/mod.ts";
import type { ValueType } from "./record.ts";

/** Whether a value is of a type of signatures; an expression reference is no value. */
export function isOfType(value: Json, type: ValueType): boolean {
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
