import { Fault, field, isFault, isList, isObject, type Json, quoted, sortedKeys } from "../json/mod.ts";
import {
  compileRequirement,
  type LabelRequirement,
  type LabelTest,
  stepsOfPair,
} from "./label_requirement.ts";
import { compileWildcard, hasWildcard } from "./wildcard.ts";

/** The selectors that {@link compileLabelSelector} accepts. */
export interface LabelSelectorOptions {
  /**
   * Whether `*` and `?` in `matchLabels` are wildcards; false when absent. Kyverno parity: they are wildcards in the
   * match blocks of its policies. Pinned by tests/match/filter_test.ts.
   */
  readonly wildcards?: boolean;
}

/**
 * Compiles a LabelSelector (`matchLabels`, `matchExpressions`) into a predicate over labels; a selector without
 * conditions holds for all. With wildcards, an entry of `matchLabels` holds when one label matches it in key and value.
 *
 * ```ts
 * import { compileLabelSelector } from "./label_selector.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const selected = compileLabelSelector({ matchLabels: { "app*": "?*" } }, { wildcards: true });
 * assert.ok(!isFault(selected) && selected({ "app.kubernetes.io/name": "web" }));
 * ```
 */
export function compileLabelSelector(
  selector: Json,
  options: LabelSelectorOptions = {},
): LabelTest | Fault {
  if (!isObject(selector)) return new Fault("a label selector must be an object");
  const pairs = labelPairs(field(selector, "matchLabels") ?? null);
  if (isFault(pairs)) return pairs;
  const predicates: LabelTest[] = [];
  for (const [key, value] of pairs) {
    const predicate = options.wildcards === true && (hasWildcard(key) || hasWildcard(value))
      ? compileWildcardPair(key, value)
      : compileRequirement({ key, operator: "In", values: [value] });
    if (isFault(predicate)) return predicate;
    predicates.push(predicate);
  }
  const expressions = field(selector, "matchExpressions") ?? null;
  if (expressions !== null && !isList(expressions)) return new Fault("matchExpressions must be a list");
  for (const expression of expressions ?? []) {
    const requirement = asRequirement(expression);
    if (isFault(requirement)) return requirement;
    const predicate = compileRequirement(requirement);
    if (isFault(predicate)) return predicate;
    predicates.push(predicate);
  }
  return allOf(predicates);
}

/** A predicate that holds when all given predicates hold. */
export function allOf(predicates: readonly LabelTest[]): LabelTest {
  if (predicates.length === 1) return predicates[0]!;
  return (labels, steps) => predicates.every((holds) => holds(labels, steps));
}

function labelPairs(labels: Json): [string, string][] | Fault {
  if (labels === null) return [];
  if (!isObject(labels)) return new Fault("matchLabels must be an object");
  const pairs: [string, string][] = [];
  for (const key of sortedKeys(labels)) {
    const value = labels[key]!;
    if (typeof value !== "string") {
      return new Fault(`matchLabels: the value of ${quoted(key)} must be a string`);
    }
    pairs.push([key, value]);
  }
  return pairs;
}

/**
 * Kyverno parity: Kyverno replaces the pair by a label that matches, or else every wildcard by `0`, and then checks the
 * syntax. A pair that can match no valid label is therefore an error. Pinned by "a wildcard pair that no label can
 * match".
 */
function compileWildcardPair(key: string, value: string): LabelTest | Fault {
  const probes = ["0", ""].map((stand) =>
    compileRequirement({
      key: key.replaceAll("*", stand).replaceAll("?", "0"),
      operator: "In",
      values: [value.replaceAll("*", stand).replaceAll("?", "0")],
    })
  );
  if (probes.every(isFault)) return probes[0]!;
  const keyMatches = compileWildcard(key), valueMatches = compileWildcard(value);
  return (labels, steps) => {
    // Listing the names of many labels takes time, too.
    if (steps !== undefined && steps.left < 0) return false;
    for (const name of Object.keys(labels)) {
      const label = labels[name];
      if (typeof label !== "string") continue;
      if (steps !== undefined && (steps.left -= stepsOfPair(name, label)) < 0) return false;
      if (keyMatches(name) && valueMatches(label)) return true;
    }
    return false;
  };
}

/** The operators that a manifest may name. */
const manifestOperators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

function asRequirement(expression: Json): LabelRequirement | Fault {
  const key = field(expression, "key") ?? "";
  const name = field(expression, "operator") ?? "";
  const values = field(expression, "values") ?? [];
  if (typeof key !== "string") return new Fault("key: must be a string");
  const operator = manifestOperators.find((each) => each === name);
  if (operator === undefined) {
    return new Fault(`${JSON.stringify(name)} is not a valid label selector operator`);
  }
  if (!isList(values) || !values.every((each) => typeof each === "string")) {
    return new Fault("values: must be a list of strings");
  }
  return { key, operator, values };
}
