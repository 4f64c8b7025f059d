import type { JsonResult } from "../engine/mod.ts";
import { isFault, type Json, type JsonObject, setField } from "../json/mod.ts";
import { failureText } from "../rules/mod.ts";

/** The lines of a rule of a JSON policy: `- policy / rule / identifier PASSED`. */
export function scanLine(result: JsonResult): string {
  const { policy, rule, identifier } = result;
  const message = messageOf(result);
  const verdict = { pass: "PASSED", fail: `FAILED: ${message}`, error: `ERROR: ${message}` }[result.result];
  return `- ${policy} / ${rule} / ${identifier} ${verdict}`;
}

/** The results of a scan for programs; `violations` tells each place that does not hold. */
export function scanObject(results: readonly JsonResult[]): JsonObject {
  return {
    results: results.map((one): Json => {
      const { policy, rule, identifier, result, failures, feedback } = one;
      return {
        policy,
        rule,
        ...(identifier !== "" && { identifier }),
        result,
        message: messageOf(one),
        ...(failures.length > 0 && {
          violations: failures.flatMap(({ check, message, violations }) =>
            violations.map(({ path, value, detail }) => ({ check, message, path, value, detail }))
          ),
        }),
        ...(feedback.size > 0 && { feedback: feedbackOf(feedback) }),
      };
    }),
  };
}

/**
 * Kyverno parity: failures of a rule are joined as kyverno-json joins its errors. Pinned by
 * tests/cli/json_scan_test.ts.
 */
function messageOf({ failures, error }: JsonResult): string {
  return error === "" ? failures.map(failureText).join("; ") : error;
}

function feedbackOf(feedback: JsonResult["feedback"]): Json {
  const values: { [name: string]: Json } = {};
  for (const [name, value] of feedback) {
    setField(values, name, isFault(value) ? { error: value.message } : value);
  }
  return values;
}
