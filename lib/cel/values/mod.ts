/** The values of CEL besides those of JSON, with their kind, size, equality and order. */
export { CelObject } from "./object.ts";
export {
  Double,
  type Float,
  floatValue,
  fromJsonNumber,
  type Int,
  intOverflow,
  isFloat,
  isInt,
  numeric,
  toFloat,
  toInt,
  toUint,
  Uint,
  uintOverflow,
} from "./numbers.ts";
export { TypeValue } from "./type_value.ts";
export {
  cachedZoneFormats,
  civil,
  type CivilTime,
  Duration,
  durationSeconds,
  formatDuration,
  formatTimestamp,
  isRfc3339,
  parseDuration,
  parseTimestamp,
  Timestamp,
  toDuration,
  toTimestamp,
  zerosBefore,
  type ZoneFormat,
  zoneFormat,
  zoneOffset,
} from "./time.ts";
export {
  CelMap,
  isListValue,
  isPlainMap,
  Opaque,
  Optional,
  plainEntry,
  type PlainMap,
  type Value,
} from "./value.ts";
export {
  codePoints,
  costSize,
  isMapValue,
  mapEntries,
  mapGet,
  mapKeys,
  mapSize,
  traversalCost,
  typeNameOf,
} from "./kind.ts";
export { equalValues } from "./equality.ts";
export { compareValues, hasOrder } from "./order.ts";
