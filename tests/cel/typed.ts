import {
  type CelFault,
  Double,
  Duration,
  floatValue,
  formatDuration,
  formatTimestamp,
  isCelFault,
  isFloat,
  isInt,
  isListValue,
  isMapValue,
  mapEntries,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../../lib/cel/mod.ts";

/** A value with the types of all its parts, so that `1`, `1u` and `1.0` differ. Maps are sorted by key. */
export interface Typed {
  readonly t: string;
  readonly v?: unknown;
}

export function typed(value: Value | CelFault): Typed {
  if (isCelFault(value)) return { t: "error", v: value.kind };
  if (value === null) return { t: "null" };
  if (typeof value === "boolean") return { t: "bool", v: value };
  if (typeof value === "string") return { t: "string", v: value };
  if (isInt(value)) return { t: "int", v: String(value) };
  if (isFloat(value)) {
    const number = floatValue(value);
    if (Number.isFinite(number) && !Object.is(number, -0)) return { t: "double", v: number };
    return { t: "double", v: Object.is(number, -0) ? 0 : String(number) };
  }
  if (value instanceof Double) return { t: "double", v: value.value };
  if (value instanceof Uint) return { t: "uint", v: String(value.value) };
  if (value instanceof Uint8Array) return { t: "bytes", v: btoa(String.fromCharCode(...value)) };
  if (value instanceof Timestamp) return { t: "google.protobuf.Timestamp", v: formatTimestamp(value) };
  if (value instanceof Duration) return { t: "google.protobuf.Duration", v: formatDuration(value) };
  if (value instanceof TypeValue) return { t: "type", v: value.name };
  if (value instanceof Optional) {
    return value.value === undefined ? { t: "optional_type" } : { t: "optional_type", v: typed(value.value) };
  }
  if (value instanceof Opaque) return { t: value.type.name, v: value.toString() };
  if (isListValue(value)) return { t: "list", v: value.map(typed) };
  if (isMapValue(value)) {
    const entries = [...mapEntries(value)].map(([key, item]) => [typed(key), typed(item)]);
    return { t: "map", v: entries.sort((a, b) => JSON.stringify(a[0]) < JSON.stringify(b[0]) ? -1 : 1) };
  }
  return { t: "unknown" };
}
