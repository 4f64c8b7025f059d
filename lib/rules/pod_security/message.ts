import type { FieldViolation, Violation } from "./control.ts";

/** The parts of a rule's failure message. */
export interface FailureText {
  /** The rule's name, including `autogen-`. */
  readonly rule: string;
  readonly level: string;
  /** The version as the policy has it; Kyverno prints nothing for a missing version. */
  readonly version: string;
  readonly violations: readonly Violation[];
}

/**
 * Kyverno's message for a pod that breaks the standard, with the violations in the order of their controls. Kyverno
 * loses that order in a rule with exclusions.
 *
 * ```ts
 * import { failureMessage } from "./message.ts";
 * import assert from "node:assert/strict";
 * const violations = [{
 *   control: "hostPorts",
 *   name: "Host Ports",
 *   reason: "hostPort",
 *   detail: 'container "a" uses hostPort 80',
 *   fields: [{ path: "spec.containers[0].ports[0].hostPort", kind: "forbidden", found: 80 }],
 * }] as const;
 * assert.equal(
 *   failureMessage({ rule: "pss", level: "baseline", version: "latest", violations }),
 *   "Validation rule 'pss' failed. It violates PodSecurity \"baseline:latest\": (Forbidden reason: hostPort, " +
 *     "field error list: [spec.containers[0].ports[0].hostPort is forbidden, forbidden values found: 80])",
 * );
 * ```
 */
export function failureMessage({ rule, level, version, violations }: FailureText): string {
  const groups = violations.map(({ reason, fields, more }) =>
    `(Forbidden reason: ${reason}, field error list: [${fieldTexts(fields, more)}])`
  );
  return `Validation rule '${rule}' failed. It violates PodSecurity "${level}:${version}": ${
    groups.join("")
  }`;
}

/** The most fields of one reason in a message: a Pod may have tens of thousands. */
export const mostFields = 50;

function fieldTexts(fields: readonly FieldViolation[], more = 0): string {
  return [...fields.map(fieldText), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** One entry of the field error list. */
function fieldText({ path, kind, found }: FieldViolation): string {
  if (kind === "required") return `${path}: Required value`;
  if (found === undefined || found === "") return `${path}: Forbidden`;
  const text = typeof found === "object" ? `[${foundText(found)}]` : String(found);
  return `${path} is forbidden, forbidden values found: ${text}`;
}

function foundText(found: readonly string[]): string {
  if (found.length <= mostFields) return found.join(" ");
  return `${found.slice(0, mostFields).join(" ")} ${found.length - mostFields} more`;
}
