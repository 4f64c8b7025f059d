import type { FailedAssertion } from "./assertions.ts";
import { violationBody } from "./violation.ts";

/**
 * A failed assertion in lines, as kyverno-json prints it: the message with the place in the policy, then each violation
 * with the place in the payload.
 *
 * ```ts
 * import { failureLines } from "./failure_text.ts";
 * import assert from "node:assert/strict";
 * const violations = [{ path: "n", kind: "invalid", value: 3, detail: "Expected value: 4" }] as const;
 * assert.deepEqual(failureLines({ message: "n must be 4", check: "spec.rules[0].assert.all[0]", violations }), [
 *   "-> n must be 4 (CHECK=spec.rules[0].assert.all[0])",
 *   " -> Invalid value: 3: Expected value: 4 (PATH=n)",
 * ]);
 * ```
 */
export function failureLines({ message, check, violations }: FailedAssertion): readonly string[] {
  const about = `${message === "" ? "" : `${message} `}(CHECK=${check})`;
  return [
    `-> ${about}`,
    ...violations.map((violation) => ` -> ${violationBody(violation)} (PATH=${violation.path})`),
  ];
}
