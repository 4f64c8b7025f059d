import { isFault } from "../../json/mod.ts";
import { parseFloat64 } from "../../jmespath/mod.ts";
import {
  compareQuantities,
  compareSemver,
  parseDuration,
  parseQuantity,
  parseSemver,
} from "../../kube/mod.ts";
import type { Sourced } from "../go_value.ts";
import { durationPair, durationSide, nanosecondsOf } from "./duration_pair.ts";
import { never, type Operator, type Test } from "./operator.ts";

type Order = "GreaterThan" | "GreaterThanOrEquals" | "LessThan" | "LessThanOrEquals";

/** Whether an order holds between two values of one type. */
const holds: Readonly<Record<Order, <T extends number | bigint>(left: T, right: T) => boolean>> = {
  GreaterThan: (left, right) => left > right,
  GreaterThanOrEquals: (left, right) => left >= right,
  LessThan: (left, right) => left < right,
  LessThanOrEquals: (left, right) => left <= right,
};

const orders: readonly Order[] = ["GreaterThan", "GreaterThanOrEquals", "LessThan", "LessThanOrEquals"];

/**
 * `GreaterThan` and the other orders: durations, otherwise quantities, otherwise numbers, otherwise semantic
 * versions.
 */
export const ordering: readonly Operator[] = orders.map((name) => ({
  name,
  exactCase: true,
  prepare: (value) => orderTest(name, value),
}));

/** `DurationGreaterThan` and the other orders: numbers are seconds, texts Go durations. */
export const durationOrdering: readonly Operator[] = orders.map((name) => ({
  name: `Duration${name}`,
  exactCase: true,
  replacedBy: [name],
  prepare: ({ value }) => {
    const right = typeof value === "number" || typeof value === "string" ? durationOf(value) : undefined;
    if (right === undefined) return never;
    const compare = holds[name];
    return ({ value: key }) => {
      const left = typeof key === "number" || typeof key === "string" ? durationOf(key) : undefined;
      return left !== undefined && compare(left, right);
    };
  },
}));

function durationOf(value: number | string): bigint | undefined {
  return typeof value === "number" ? nanosecondsOf(value) : parseDuration(value);
}

function orderTest(name: Order, { value }: Sourced): Test {
  if (typeof value !== "number" && typeof value !== "string") return never;
  const compare = holds[name];
  const side = durationSide(value);
  const number = typeof value === "number" ? value : parseFloat64(value);
  const quantity = typeof value === "string" ? parseQuantity(value) : undefined;
  const version = typeof value === "string" ? parseSemver(value) : undefined;

  const withNumber = (key: number): boolean => {
    const pair = typeof value === "string" ? durationPair(durationSide(key), side) : undefined;
    if (pair !== undefined) return compare(pair[0], pair[1]);
    return number !== undefined && compare(key, number);
  };
  const withText = (key: string): boolean => {
    const pair = durationPair(durationSide(key), side);
    if (pair !== undefined) return compare(pair[0], pair[1]);
    const keyQuantity = quantity === undefined ? undefined : parseQuantity(key);
    if (quantity !== undefined && keyQuantity !== undefined) {
      return compare(compareQuantities(keyQuantity, quantity), 0);
    }
    const keyNumber = parseFloat64(key);
    if (keyNumber !== undefined) return withNumber(keyNumber);
    const keyVersion = parseSemver(key);
    if (version === undefined || isFault(version) || isFault(keyVersion)) return false;
    return compare(compareSemver(keyVersion, version), 0);
  };
  return ({ value: key }) => {
    if (typeof key === "number") return withNumber(key);
    return typeof key === "string" && withText(key);
  };
}
