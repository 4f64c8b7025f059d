import { type Fault, isFault, isList, isObject } from "../../json/mod.ts";
import { parseFloat64 } from "../../jmespath/mod.ts";
import { compareQuantities, hasWildcard, parseQuantity } from "../../kube/mod.ts";
import { goEqual, type Sourced } from "../go_value.ts";
import { durationPair, durationSide } from "./duration_pair.ts";
import type { Operator } from "./operator.ts";
import { wildcardTest } from "./wildcards.ts";

/** Whether a key equals the value; also false when their types cannot be compared or one cannot be parsed. */
type Comparison = (key: Sourced) => boolean | Fault;

/**
 * `Equals` and `NotEquals`: the key's type decides. Texts are durations, else quantities, else wildcards with the value
 * as pattern. A null key equals nothing and is unequal to nothing.
 */
export const equality: readonly Operator[] = [
  {
    name: "Equals",
    alias: "Equal",
    prepare: (value) => {
      const compare = comparison(value);
      return (key) => key.value !== null && compare(key);
    },
  },
  {
    name: "NotEquals",
    alias: "NotEqual",
    prepare: (value) => {
      const compare = comparison(value);
      return (key) => {
        const isEqual = key.value === null || compare(key);
        return isFault(isEqual) ? isEqual : !isEqual;
      };
    },
  },
];

function comparison(value: Sourced): Comparison {
  const ofText = textComparison(value), ofNumber = numberComparison(value);
  return (key) => {
    switch (typeof key.value) {
      case "string":
        return ofText(key.value);
      case "number":
        return ofNumber(key.value);
      case "boolean":
        return key.value === value.value;
    }
    if (isList(key.value) ? !isList(value.value) : !isObject(value.value)) return false;
    return goEqual(key, value);
  };
}

function numberComparison({ value }: Sourced): (key: number) => boolean {
  const wanted = typeof value === "number"
    ? value
    : typeof value === "string"
    ? parseFloat64(value)
    : undefined;
  return (key) => key === wanted;
}

function textComparison({ value }: Sourced): (key: string) => boolean | Fault {
  const valueSide = durationSide(value);
  if (typeof value !== "string") {
    return (key) => {
      const pair = durationPair(durationSide(key), valueSide);
      return pair !== undefined && pair[0] === pair[1];
    };
  }
  const quantity = parseQuantity(value);
  // A text that is neither a duration, a quantity nor a wildcard equals only itself.
  if (valueSide.text === undefined && quantity === undefined && !hasWildcard(value)) {
    return (key) => key === value;
  }
  const matches = wildcardTest(value);
  return (key) => {
    const pair = durationPair(durationSide(key), valueSide);
    if (pair !== undefined) return pair[0] === pair[1];
    const keyQuantity = parseQuantity(key);
    if (keyQuantity === undefined) return matches(key);
    // Kyverno parity: a quantity is compared with quantities only, so `10` does not equal `1*`. Pinned by
    // tests/condition/operators_test.ts.
    return quantity !== undefined && compareQuantities(keyQuantity, quantity) === 0;
  };
}
