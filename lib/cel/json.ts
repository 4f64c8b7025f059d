import { type Json, setField } from "../json/mod.ts";
import { type CelFault, failure, isCelFault } from "./fault.ts";
import type { Result } from "./libraries/library.ts";
import { encodeBase64 } from "../kube/mod.ts";
import { isWithinBudget, newWorkBudget, work, type WorkBudget, workOfCharacter } from "./work.ts";
import { budgeted } from "./budgeted.ts";
import {
  Double,
  Duration,
  formatDuration,
  formatTimestamp,
  isListValue,
  isMapValue,
  mapEntries,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from "./values/mod.ts";

/** The nanoseconds of an entry of a map: it is added to an object, and its key is sorted. */
const workOfField = 600;

/** The same for an object of more fields: it is a table of hashes. */
const manyFields = 1_000, workOfFurtherField = 1_800;

/**
 * The value as JSON within a budget of work: lists that hold one list many times are small until they are copied.
 * Inside an evaluation it takes part in the budget of that.
 */
export function celToJson(value: Result, budget?: WorkBudget): Json | CelFault {
  return isWithinBudget() ? toJson(value) : budgeted(budget ?? newWorkBudget(), () => toJson(value));
}

/**
 * The value as JSON: bytes in base64, times and durations as text, an absent optional as null, values of a library's
 * type as its text. Errors stay errors. Ints beyond 2^53 lose their last digits, as everywhere in JSON.
 */
function toJson(value: Result): Json | CelFault {
  if (isCelFault(value)) return value;
  switch (typeof value) {
    case "bigint":
      return Number(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "string":
      // A list may hold one text many times. JSON is written later, each time as a text of its own.
      work(workOfCharacter * value.length);
      return value;
    case "boolean":
      return value;
  }
  if (value === null) return null;
  work(600);
  if (value instanceof Double) return value.value;
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Optional) return value.value === undefined ? null : toJson(value.value);
  if (value instanceof Opaque) return value.toString();
  if (isListValue(value)) {
    const items: Json[] = [];
    work(60 * value.length);
    for (const item of value) {
      const json = toJson(item);
      if (isCelFault(json)) return json;
      items.push(json);
    }
    return items;
  }
  if (!isMapValue(value)) return failure("the value has no JSON form");
  const object: { [key: string]: Json } = {};
  let count = 0;
  for (const [key, item] of mapEntries(value)) {
    work(++count > manyFields ? workOfFurtherField : workOfField);
    const name = toJson(key), json = toJson(item);
    if (isCelFault(name)) return name;
    if (isCelFault(json)) return json;
    setField(object, String(name), json);
  }
  return object;
}
