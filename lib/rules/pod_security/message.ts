import { compareBytes } from "../../json/mod.ts";
import type { FieldViolation, Violation } from "./control.ts";

/** The parts of a rule's failure message. */
export interface FailureText {
  /** The rule's name as it runs, `autogen-` included. */
  readonly rule: string;
  readonly level: string;
  /** As written in the policy; Kyverno prints nothing for a version that is not given. */
  readonly version: string;
  readonly violations: readonly Violation[];
}

/**
 * Kyverno's message for a pod that breaks the standard.
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
  const groups = violations.map(({ reason, fields }) =>
    `(Forbidden reason: ${reason}, field error list: [${fieldTexts(fields)}])`
  );
  // Kyverno takes the groups out of a map, in no order; in one order a message is the same each time.
  groups.sort(compareBytes);
  return `Validation rule '${rule}' failed. It violates PodSecurity "${level}:${version}": ${
    groups.join("")
  }`;
}

/** Fields that a message names for one reason; a Pod may have tens of thousands. */
const mostFields = 50;

function fieldTexts(fields: readonly FieldViolation[]): string {
  const texts = fields.slice(0, mostFields).map(fieldText);
  if (fields.length > mostFields) texts.push(`${fields.length - mostFields} more`);
  return texts.join(", ");
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
