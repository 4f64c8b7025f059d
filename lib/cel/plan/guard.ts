import type { CelType } from "../types/mod.ts";
import {
  Duration,
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
} from "../values/mod.ts";

/** Whether a value has a type. */
export type Guard = (value: Value) => boolean;

/**
 * The run-time check of a parameter's type; `undefined` when any value is allowed. For lists and maps it checks the
 * first entry only, as cel-go does.
 */
export function guardOf(type: CelType): Guard | undefined {
  switch (type.kind) {
    case "dyn":
    case "error":
    case "parameter":
      return undefined;
    case "null":
      return (value) => value === null;
    case "bool":
      return (value) => typeof value === "boolean";
    case "int":
      return isInt;
    case "uint":
      return (value) => value instanceof Uint;
    case "double":
      return isFloat;
    case "string":
      return (value) => typeof value === "string";
    case "bytes":
      return (value) => value instanceof Uint8Array;
    case "timestamp":
      return (value) => value instanceof Timestamp;
    case "duration":
      return (value) => value instanceof Duration;
    case "list": {
      const element = guardOf(type.parameters[0]!);
      if (element === undefined) return isListValue;
      return (value) => isListValue(value) && (value.length === 0 || element(value[0]!));
    }
    case "map": {
      const key = guardOf(type.parameters[0]!), item = guardOf(type.parameters[1]!);
      if (key === undefined && item === undefined) return isMapValue;
      return (value) => {
        if (!isMapValue(value)) return false;
        for (const [name, first] of mapEntries(value)) {
          return key?.(name) !== false && item?.(first) !== false;
        }
        return true;
      };
    }
    case "object":
      return isMapValue;
    case "type":
      return (value) => value instanceof TypeValue;
    case "opaque":
      return type.name === "optional_type"
        ? (value) => value instanceof Optional
        : (value) => value instanceof Opaque && value.type.name === type.name;
  }
}
