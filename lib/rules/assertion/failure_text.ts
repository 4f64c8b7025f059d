import type { FailedAssertion } from "./assertions.ts";
import { violationText } from "./violation.ts";

/**
 * A failed assertion as kyverno-json words it: the message of its entry, if it has one, then each violation with its
 * path in the tree.
 *
 * ```ts
 * import { failureText } from "./failure_text.ts";
 * import assert from "node:assert/strict";
 * const violations = [{ path: "n", kind: "invalid", value: 3, detail: "Expected value: 4" }] as const;
 * const failed = { message: "n must be 4", check: "spec.rules[0].assert.all[0]", violations };
 * assert.equal(failureText(failed), "-> n must be 4\n -> n: Invalid value: 3: Expected value: 4");
 * ```
 */
export function failureText({ message, violations }: FailedAssertion): string {
  return [
    ...(message === "" ? [] : [`-> ${message}`]),
    ...violations.map((violation) => ` -> ${violationText(violation)}`),
  ].join("\n");
}
