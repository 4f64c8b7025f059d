import { type Fault, isFault, isList, type Json } from "../../json/mod.ts";
import { compileScalar, parseTerm } from "../../pattern/mod.ts";
import { goText, type Sourced } from "../go_value.ts";
import { withinListBound } from "./list_bound.ts";
import { jsonTexts, Members, textsOf } from "./members.ts";
import { never, type Operator, type Test } from "./operator.ts";
import { wildcardTest } from "./wildcards.ts";

/**
 * `AnyIn`, `AllIn`, `AnyNotIn`, `AllNotIn`: a key, or a list of keys, against a list, a string with a JSON list, a
 * range such as `1-10`, or a single string. Members of lists match with wildcards in both directions. With a value of
 * another type all of them are false, also the negated ones; so they are for a key that is null or a map.
 */
export const sets: readonly Operator[] = [
  { name: "AnyIn", printsElements: true, prepare: withinListBound((value) => setTest(value, anyIn)) },
  { name: "AllIn", printsElements: true, prepare: withinListBound((value) => setTest(value, allIn)) },
  { name: "AnyNotIn", printsElements: true, prepare: withinListBound((value) => setTest(value, anyNotIn)) },
  { name: "AllNotIn", printsElements: true, prepare: withinListBound((value) => setTest(value, allNotIn)) },
];

/** The properties in which the four operators differ. */
interface SetOperator {
  /** Whether a single key must not be a member. */
  readonly negated: boolean;
  /** Decides about a list of keys from whether each is a member. */
  readonly ofList: (keys: readonly string[], isMember: (key: string) => boolean) => boolean;
  /** Whether a number or a boolean counts as a list of one when there is a list of keys. */
  readonly takesScalar: boolean;
  /**
   * Kyverno parity: `AnyNotIn` inverts a range by inserting `!` into its text, and so reads `-5-10` as `!-5-10`.
   * Pinned by tests/condition/operators_test.ts.
   */
  readonly reversesRange?: true;
}

const anyIn: SetOperator = {
  negated: false,
  ofList: (keys, isMember) => keys.some(isMember),
  takesScalar: true,
};

const allIn: SetOperator = {
  negated: false,
  ofList: (keys, isMember) => keys.every(isMember),
  takesScalar: false,
};

const anyNotIn: SetOperator = {
  negated: true,
  ofList: (keys, isMember) => keys.some((key) => !isMember(key)),
  takesScalar: true,
  reversesRange: true,
};

const allNotIn: SetOperator = {
  negated: true,
  ofList: (keys, isMember) => !keys.some(isMember),
  takesScalar: false,
};

/** A value that is prepared for one operator. */
interface Prepared {
  readonly single: (key: string) => boolean | Fault;
  readonly list: (keys: readonly string[]) => boolean | Fault;
}

const invalid: Prepared = { single: never, list: never };

function setTest(value: Sourced, operator: SetOperator): Test {
  const { single, list } = prepare(value, operator);
  return (key) => {
    const text = singleKey(key.value);
    if (text !== undefined) return single(text);
    return isList(key.value) && list(textsOf(key));
  };
}

/**
 * The text of a key that is not a list. Kyverno parity: a number outside lists and maps is a float64 and prints as
 * one. Pinned by tests/condition/operators_test.ts.
 */
export function singleKey(key: Json): string | undefined {
  if (typeof key === "string") return key;
  return typeof key === "number" || typeof key === "boolean" ? goText(key, undefined) : undefined;
}

function prepare(value: Sourced, operator: SetOperator): Prepared {
  if (typeof value.value === "string") return prepareText(value.value, operator);
  if (isList(value.value)) return prepareMembers(textsOf(value), operator);
  if (operator.takesScalar && (typeof value.value === "number" || typeof value.value === "boolean")) {
    return { single: never, list: prepareMembers([goText(value.value, undefined)], operator).list };
  }
  return invalid;
}

function prepareMembers(texts: readonly string[], { negated, ofList }: SetOperator): Prepared {
  const members = new Members(texts);
  const isMember = (key: string): boolean => members.has(key);
  return {
    single: (key) => members.refuses([key]) ?? (members.has(key) !== negated),
    list: (keys) => members.refuses(keys) ?? ofList(keys, isMember),
  };
}

/** Prepares a string: it is read as it is, then as a range, then as JSON, then as a single member. */
function prepareText(text: string, operator: SetOperator): Prepared {
  const { negated } = operator;
  const rest = parseTerm(text).kind === "inside" ? prepareRange(text, operator) : prepareJson(text, operator);
  const matches = wildcardTest(text);
  return {
    single: (key) => {
      const isMatch = matches(key);
      if (isFault(isMatch)) return isMatch;
      return isMatch ? !negated : rest.single(key);
    },
    list: (keys) => keys.length === 1 && keys[0] === text ? !negated : rest.list(keys),
  };
}

function prepareRange(text: string, { negated, ofList, reversesRange }: SetOperator): Prepared {
  const inside = compileScalar(text);
  const single = (key: string): boolean => inside(key) !== negated;
  if (reversesRange !== true) return { single, list: (keys) => ofList(keys, inside) };
  const outside = compileScalar(text.replace("-", "!-"));
  return { single, list: (keys) => keys.some(outside) };
}

/**
 * Kyverno parity: for a single key, members of a JSON list have no wildcards. Pinned by
 * tests/condition/operators_test.ts.
 */
function prepareJson(text: string, operator: SetOperator): Prepared {
  const texts = jsonTexts(text) ?? [text];
  if (texts === "other") return invalid;
  if (isFault(texts)) return { single: () => texts, list: () => texts };
  const members = new Members(texts);
  return {
    single: (key) => members.hasExactly(key) !== operator.negated,
    list: prepareMembers(texts, operator).list,
  };
}
