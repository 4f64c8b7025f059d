import type { Json } from "../../json/mod.ts";

/** A condition, and whether it holds. */
export type OperatorExample = readonly [key: Json, value: Json, holds: boolean];

/** The meaning of an operator, with examples that tests evaluate. */
export interface OperatorNote {
  readonly about: string;
  readonly examples: readonly OperatorExample[];
}

/** Each operator by its name; the other spelling of a name has a note that says so. */
export const operatorNotes: Readonly<Record<string, OperatorNote>> = {
  Equals: {
    about:
      "Key and value are the same. Texts match with wildcards of the value; quantities and durations are compared by what they mean.",
    examples: [["nginx:1", "nginx:*", true], ["1h", "60m", true], [5, "5", true], [true, "true", false]],
  },
  Equal: { about: "The same as `Equals`.", examples: [["a", "a", true]] },
  NotEquals: {
    about: "The opposite of `Equals`.",
    examples: [["a", "b", true], ["nginx:1", "nginx:*", false]],
  },
  NotEqual: { about: "The same as `NotEquals`.", examples: [["a", "a", false]] },
  GreaterThan: {
    about: "The key is greater: of numbers, quantities, durations and versions.",
    examples: [[10, 9, true], ["1Gi", "1Mi", true], ["2h", "90m", true], ["1.5.0", "1.4.9", true]],
  },
  GreaterThanOrEquals: {
    about: "The key is greater, or the same.",
    examples: [[10, 10, true], ["1Mi", "1Gi", false]],
  },
  LessThan: { about: "The key is less.", examples: [[9, 10, true], ["1Gi", "1Mi", false]] },
  LessThanOrEquals: {
    about: "The key is less, or the same.",
    examples: [[10, 10, true], ["1h", "60m", true]],
  },
  AnyIn: {
    about:
      "One of the keys, at least, is a member of the value: a list, a JSON list as text, or a range such as `1-10`.",
    examples: [[["a", "b"], ["b", "c"], true], ["nginx", ["ng*"], true], [5, "1-10", true]],
  },
  AllIn: {
    about: "Every key is a member of the value.",
    examples: [[["a", "b"], ["a", "b", "c"], true], [["a", "d"], ["a", "b", "c"], false]],
  },
  AnyNotIn: {
    about: "One of the keys, at least, is no member of the value.",
    examples: [[["a", "d"], ["a", "b"], true], [["a"], ["a", "b"], false]],
  },
  AllNotIn: {
    about: "No key is a member of the value.",
    examples: [[["c", "d"], ["a", "b"], true], [["a", "d"], ["a", "b"], false]],
  },
  In: {
    about: "Deprecated: use `AnyIn` or `AllIn`.",
    examples: [["a", ["a", "b"], true], [["a", "c"], ["a", "b"], false]],
  },
  NotIn: { about: "Deprecated: use `AnyNotIn` or `AllNotIn`.", examples: [["c", ["a", "b"], true]] },
  DurationGreaterThan: {
    about: "Deprecated: use `GreaterThan`. The key is the longer duration; numbers are seconds.",
    examples: [["2h", "1h", true], [120, "1m", true]],
  },
  DurationGreaterThanOrEquals: {
    about: "Deprecated: use `GreaterThanOrEquals`. The key is as long, or longer.",
    examples: [["60m", "1h", true]],
  },
  DurationLessThan: {
    about: "Deprecated: use `LessThan`. The key is the shorter duration.",
    examples: [["1h", "2h", true]],
  },
  DurationLessThanOrEquals: {
    about: "Deprecated: use `LessThanOrEquals`. The key is as long, or shorter.",
    examples: [["1h", "60m", true]],
  },
};
