import { work } from "../work.ts";
import { isMapValue, mapGet, mapKeys, mapSize } from "./kind.ts";
import { compareNumbers, Double, numeric, Uint } from "./numbers.ts";
import { Duration, Timestamp } from "./time.ts";
import { TypeValue } from "./type_value.ts";
import { CelMap, Opaque, Optional, type PlainMap, type Value } from "./value.ts";

/**
 * CEL's `==`, which is never an error. Numbers of different types are equal when their values are, NaN equals nothing,
 * and values of different types are unequal.
 */
export function equalValues(left: Value, right: Value): boolean {
  work(40);
  if (typeof left === "string") return typeof right === "string" && equalTexts(left, right);
  if (left === right) return true;
  switch (typeof left) {
    case "boolean":
      return false;
    case "number":
    case "bigint":
      return equalNumbers(left, right);
  }
  if (left === null || right === null || typeof right !== "object") {
    return left instanceof Double || left instanceof Uint ? equalNumbers(left, right) : false;
  }
  if (Array.isArray(left)) return Array.isArray(right) && equalLists(left, right);
  if (left instanceof Double || left instanceof Uint) return equalNumbers(left, right);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && equalBytes(left, right);
  if (left instanceof Timestamp) {
    return right instanceof Timestamp && left.seconds === right.seconds && left.nanos === right.nanos;
  }
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name;
  if (left instanceof Optional) return right instanceof Optional && equalOptionals(left, right);
  if (left instanceof Opaque) {
    return right instanceof Opaque && left.type.name === right.type.name && left.equals(right);
  }
  return isMapValue(left) && isMapValue(right) && equalMaps(left, right);
}

function equalNumbers(left: Value, right: Value): boolean {
  const a = numeric(left), b = numeric(right);
  return a !== undefined && b !== undefined && compareNumbers(a, b) === 0;
}

function equalLists(left: readonly Value[], right: readonly Value[]): boolean {
  if (left.length !== right.length) return false;
  work(40);
  for (let index = 0; index < left.length; index++) {
    if (!equalValues(left[index]!, right[index]!)) return false;
  }
  return true;
}

/** Whether two maps have the same entries. Reading the keys of a large plain map takes most of the time. */
function equalMaps(left: CelMap | PlainMap, right: CelMap | PlainMap): boolean {
  work(160);
  const size = mapSize(right);
  if (left instanceof CelMap && left.size !== size) return false;
  const keys = mapKeys(left);
  if (keys.length !== size) return false;
  for (const key of keys) {
    const other = mapGet(right, key);
    if (other === undefined || !equalValues(mapGet(left, key)!, other)) return false;
  }
  return true;
}

function equalOptionals(left: Optional, right: Optional): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equalValues(left.value, right.value);
}

/** Texts of one length are read; shorter ones take nothing that counts. */
function equalTexts(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  if (left.length > 1_000) work(left.length);
  return left === right;
}

function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  work(10 * left.length);
  return left.every((byte, index) => byte === right[index]);
}
