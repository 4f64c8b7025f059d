import { type CelFault, failure } from "../fault.ts";
import {
  fromJsonNumber,
  isListValue,
  isMapValue,
  mapGet,
  mapKeys,
  typeNameOf,
  type Value,
} from "../values/mod.ts";
import { work } from "../work.ts";
import type { EvaluationFrame } from "./frame.ts";

/** The rounds of a comprehension: `size` is their number, and `enter` sets the variables of one. */
export interface LoopRange {
  readonly size: number;
  readonly enter: (index: number) => void;
}

const goTypeNames: Readonly<Record<string, string>> = {
  int: "types.Int",
  uint: "types.Uint",
  double: "types.Double",
  string: "types.String",
  bytes: "types.Bytes",
  bool: "types.Bool",
  null_type: "types.Null",
  "google.protobuf.Duration": "types.Duration",
  "google.protobuf.Timestamp": "types.Timestamp",
  optional_type: "*types.Optional",
  type: "*types.Type",
};

/** The name that cel-go's errors give the type of a value: that of its Go type. */
function goTypeName(value: Value): string {
  const name = typeNameOf(value);
  return goTypeNames[name] ?? name;
}

/**
 * The rounds of a comprehension over a value, with the slots of its variables; the error when it is not a list or
 * map.
 */
export function rangeOf(
  frame: EvaluationFrame,
  values: Value,
  slots: readonly number[],
): LoopRange | CelFault {
  const first = slots[0]!, second = slots[1];
  if (isListValue(values)) {
    const element = second ?? first;
    return {
      size: values.length,
      enter: (index) => {
        const value = values[index]!;
        if (second !== undefined) frame.slots[first] = index;
        frame.slots[element] = typeof value === "number" ? fromJsonNumber(value) : value;
      },
    };
  }
  if (!isMapValue(values)) {
    const type = goTypeName(values);
    return failure(
      second === undefined
        ? `got '${type}', expected iterable type`
        : `unsupported comprehension range type: ${type}`,
    );
  }
  const keys = mapKeys(values);
  work(keys.length * 100);
  return {
    size: keys.length,
    enter: (index) => {
      const key = keys[index]!;
      frame.slots[first] = key;
      if (second === undefined) return;
      const value = mapGet(values, key)!;
      frame.slots[second] = typeof value === "number" ? fromJsonNumber(value) : value;
    },
  };
}
