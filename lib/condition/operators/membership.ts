import { type Fault, isFault, isList, isString } from "../../json/mod.ts";
import type { Sourced } from "../go_value.ts";
import { withinListBound } from "./list_bound.ts";
import { jsonTexts, Members, textsOf } from "./members.ts";
import type { Operator, Test } from "./operator.ts";
import { singleKey } from "./sets.ts";
import { wildcardTest } from "./wildcards.ts";

/**
 * `In` and `NotIn`, which the other set operators replace. For a single key they match with wildcards in both
 * directions; for a list of keys without wildcards, `In` when all are members, `NotIn` when one is not. A string
 * value must be a JSON list of strings, or match as a whole. Elements other than strings are compared in their
 * printed form; Kyverno returns an error for them.
 */
export const membership: readonly Operator[] = [
  {
    name: "In",
    replacedBy: ["AllIn", "AnyIn"],
    printsElements: true,
    prepare: withinListBound((value) => membershipTest(value, "in")),
  },
  {
    name: "NotIn",
    replacedBy: ["AllNotIn", "AnyNotIn"],
    printsElements: true,
    prepare: withinListBound((value) => membershipTest(value, "not in")),
  },
];

function membershipTest(value: Sourced, sense: "in" | "not in"): Test {
  const wanted = sense === "in";
  const whole = typeof value.value === "string" ? value.value : undefined;
  const matches = whole === undefined ? undefined : wildcardTest(whole);
  const texts = whole !== undefined ? jsonTexts(whole) : isList(value.value) ? textsOf(value) : undefined;
  if (isFault(texts)) return () => texts;
  const members = texts === undefined || texts === "other" ? undefined : new Members(texts);
  const onlyStrings = !isList(value.value) || value.value.every(isString);

  const single = (key: string): boolean | Fault => {
    const isMatch = matches?.(key) ?? false;
    if (isFault(isMatch)) return isMatch;
    if (isMatch) return wanted;
    if (members === undefined) return false;
    if (whole !== undefined) return members.hasExactly(key) === wanted;
    return members.refuses([key]) ?? (members.has(key) === wanted);
  };
  const list = (keys: readonly string[]): boolean => {
    // Kyverno parity: for a single key that equals the string, both `In` and `NotIn` hold. Pinned by
    // tests/condition/operators_test.ts.
    if (keys.length === 1 && keys[0] === whole) return true;
    if (members === undefined || !onlyStrings) return false;
    return keys.every((key) => members.hasExactly(key)) === wanted;
  };
  return (key) => {
    const text = singleKey(key.value);
    if (text !== undefined) return single(text);
    return isList(key.value) && list(textsOf(key));
  };
}
