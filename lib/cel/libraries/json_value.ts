import { isList, isObject, type Json, type JsonObject, setField } from "../../json/mod.ts";
import { type CelFault, failure, isCelFault } from "../fault.ts";
import { celToJson } from "../json.ts";
import { type CelMap, mapEntries, type PlainMap, toFloat, type Value } from "../values/mod.ts";

/**
 * Converts JSON to CEL values for Kyverno's functions, and for payloads in mode JSON. Kyverno parity: every number is a
 * double, as Go's decoder makes it, and every text is well-formed. Pinned by "numbers read from a text are doubles, as
 * from Go's decoder".
 */
export function withDoubles(json: Json): Value {
  if (typeof json === "number") return toFloat(json);
  if (typeof json === "string") return json.toWellFormed();
  if (isList(json)) return json.map(withDoubles);
  if (!isObject(json)) return json;
  const result: { [key: string]: Value } = {};
  for (const [key, value] of Object.entries(json)) {
    Object.defineProperty(result, key, {
      value: withDoubles(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

/** A map as a JSON object. */
export function jsonObjectOf(map: CelMap | PlainMap): JsonObject | CelFault {
  const json = celToJson(map);
  if (isCelFault(json)) return json;
  return isObject(json) ? json : failure("the value is no object");
}

/** A map whose keys and values must all be texts, such as labels and headers. */
export function textsOf(map: CelMap | PlainMap, what: string): Readonly<Record<string, string>> | CelFault {
  const texts: { [key: string]: string } = {};
  for (const [key, value] of mapEntries(map)) {
    if (typeof key !== "string" || typeof value !== "string") return failure(`${what} must be texts`);
    setField(texts, key, value);
  }
  return texts;
}
