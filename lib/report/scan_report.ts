import type { CompiledJsonPolicy, JsonResult } from "../engine/mod.ts";
import { asList, dig, field, isFault, type Json, type JsonObject, setField } from "../json/mod.ts";
import { failureText } from "../rules/mod.ts";

/** The lines of a rule of a JSON policy: `- policy / rule / identifier PASSED`. */
export function scanLine(result: JsonResult): string {
  const { policy, rule, identifier } = result;
  const message = messageOf(result);
  const verdict = { pass: "PASSED", fail: `FAILED: ${message}`, error: `ERROR: ${message}` }[result.result];
  return `- ${policy} / ${rule} / ${identifier} ${verdict}`;
}

/** The results of a scan for programs; `violations` names each path where a check fails. */
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

/** The results of one policy for one payload. */
export interface PolicyScan {
  readonly policy: CompiledJsonPolicy;
  readonly results: readonly JsonResult[];
}

/**
 * The results of all policies for one payload, for programs. Kyverno parity: the JSON of `kyverno json scan` repeats
 * the payload, the policies and the rules. Pinned by tests/cli/json_scan_test.ts.
 */
export function payloadReport(resource: Json, scans: readonly PolicyScan[]): JsonObject {
  const results = scans.map(({ policy: { document }, results }): JsonObject => {
    const rules = asList(dig(document, "spec", "rules"));
    const ruleOf = (name: string): Json => rules.find((rule) => field(rule, "name") === name) ?? { name };
    return {
      policy: document,
      ...(results.length > 0 && {
        rules: results.map((result) => ({ rule: ruleOf(result.rule), ...ruleReport(result) })),
      }),
    };
  });
  return { resource, ...(results.length > 0 && { results }) };
}

function ruleReport({ identifier, error, failures }: JsonResult): JsonObject {
  return {
    ...(identifier !== "" && { identifier }),
    ...(error !== "" && { error }),
    ...(failures.length > 0 && {
      violations: failures.map(({ message, violations }): JsonObject => ({
        ...(message !== "" && { message }),
        errors: violations.map(({ kind, path, value, detail }) => ({
          type: kind === "required" ? "FieldValueRequired" : "FieldValueInvalid",
          field: path,
          ...(value !== null && { value }),
          detail,
        })),
      })),
    }),
  };
}

/**
 * Joins the failures of a rule. Kyverno parity: kyverno-json joins its errors in this way. Pinned by
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
