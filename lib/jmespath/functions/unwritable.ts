import { isList, isObject, type Json } from "../../json/mod.ts";

/** A number in a value that JSON has no way to write. */
export function unwritable(value: Json): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : value;
  if (!isList(value) && !isObject(value)) return undefined;
  for (const inner of Object.values(value)) {
    const number = unwritable(inner);
    if (number !== undefined) return number;
  }
  return undefined;
}
