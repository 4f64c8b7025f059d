import { Fault, isList, isObject, type Json } from "../../json/mod.ts";

/**
 * Whether a value equals the expected one. Lists must be equal element by element; objects must contain the expected
 * fields. Values of different kinds cannot be compared: that is a fault of the policy, not a violation.
 */
export function fulfils(expected: Json, actual: Json): boolean | Fault {
  if (isList(expected)) return listFulfils(expected, actual);
  if (isObject(expected)) {
    if (!isObject(actual)) return new Fault(`invalid actual value, must be a map, found ${kindOf(actual)}`);
    for (const key of Object.keys(expected)) {
      if (!Object.hasOwn(actual, key)) return false;
      const same = fulfils(expected[key]!, actual[key]!);
      if (same !== true) return same;
    }
    return true;
  }
  if (expected === null || actual === null || typeof expected === typeof actual) return expected === actual;
  return new Fault(`types are not comparable, ${kindOf(expected)} - ${kindOf(actual)}`);
}

function listFulfils(expected: readonly Json[], actual: Json): boolean | Fault {
  if (!isList(actual)) return new Fault(`invalid actual value, must be a slice, found ${kindOf(actual)}`);
  if (expected.length !== actual.length) return false;
  for (let index = 0; index < expected.length; index++) {
    const same = fulfils(expected[index]!, actual[index]!);
    if (same !== true) return same;
  }
  return true;
}

/** Kyverno's word for a value's kind. */
function kindOf(value: Json): string {
  if (value === null) return "invalid";
  if (isList(value)) return "slice";
  switch (typeof value) {
    case "object":
      return "map";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "string";
  }
}
