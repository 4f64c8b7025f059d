import type { CompiledPolicy } from "../engine/mod.ts";
import { asObject, type JsonObject } from "../json/mod.ts";
import { autogenTexts, countRules } from "../documents/mod.ts";
import type { StatusCondition } from "./status_writer.ts";

/** The state of a policy's webhooks and admission policy, from which its status is written. */
export interface Enforcement {
  /** Whether the policy's webhooks are written. */
  readonly configured: boolean;
  /** The rights that the author must grant, as a message; empty when none are missing. */
  readonly missingRules: string;
  /** Whether a ValidatingAdmissionPolicy was made from it, or why not. */
  readonly admissionPolicy: { readonly generated: boolean; readonly message: string };
}

/** The status of a ClusterPolicy or Policy. */
export function classicStatus({ policy }: CompiledPolicy, enforcement: Enforcement): JsonObject {
  const { configured, missingRules, admissionPolicy } = enforcement;
  const ready = configured || !policy.admission;
  const condition: StatusCondition = ready
    ? { type: "Ready", status: "True", reason: "Succeeded", message: "Ready" }
    : { type: "Ready", status: "False", reason: "Failed", message: "Not Ready" };
  const { verifyImages: verifyimages, ...counts } = countRules(policy);
  const message = missingRules === "" ? condition.message : `${condition.message}; ${missingRules}`;
  return {
    conditions: [{ ...condition, message }],
    rulecount: { ...counts, verifyimages },
    autogen: { rules: autogenTexts(policy).map(withResources) },
    validatingadmissionpolicy: { ...admissionPolicy },
  };
}

/**
 * Kyverno parity: a match that is written in any or all has empty resources beside it. Pinned by "status: rules for
 * controllers have empty resources beside any".
 */
function withResources(rule: JsonObject): JsonObject {
  const blocks = (["match", "exclude"] as const).flatMap((name) => {
    const block = asObject(rule[name]);
    return block === undefined ? [] : [[name, { resources: {}, ...block }] as const];
  });
  return { ...rule, ...Object.fromEntries(blocks) };
}
