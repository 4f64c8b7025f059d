import type { TestRow } from "../report/mod.ts";
import type { ExpectedStatus } from "./test_case.ts";
import type { ObjectMatch } from "./expected.ts";

/** The result of a rule, next to the expected result of a test. */
export interface Comparison {
  readonly expected: ExpectedStatus;
  readonly actual: string;
  readonly message: string;
  /** The comparison of the rule's object with the expected one. */
  readonly match: ObjectMatch;
}

/** Decides whether a row passes, and if not, why. Objects are compared before results. */
export function verdictOf(
  { expected, actual, message, match }: Comparison,
): Pick<TestRow, "result" | "reason" | "message" | "details"> {
  switch (match.kind) {
    case "different":
      return {
        result: "Fail",
        reason: "Resource diff",
        message: ["The object is not the expected one (- expected, + actual)", ...match.diff].join("\n"),
        details: ["- expected", "+ actual", ...match.diff],
      };
    case "absent":
    case "unreadable":
      return { result: "Fail", reason: "Resource error", message: match.message, details: [match.message] };
    case "equal": {
      if (actual === expected) return { result: "Pass", reason: "Ok", message, details: [] };
      const details = [`expected: ${expected}`, `actual:   ${actual}${message === "" ? "" : `, ${message}`}`];
      return { result: "Fail", reason: `Want ${expected}, got ${actual}`, message, details };
    }
  }
}
