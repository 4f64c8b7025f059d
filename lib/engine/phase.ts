import type { RuleType } from "../rules/mod.ts";

/**
 * A step of admission: mutations, the verification of images, validations; after the answer, effects on other
 * objects.
 */
export type Phase = "mutate" | "verifyImages" | "validate" | "generate" | "mutateExisting";

/** The webhook to whose request a phase belongs. */
export type WebhookPhase = "mutate" | "validate";

/** The types of rules in each phase, and its webhook: effects on other objects start after a validation. */
const table: Readonly<
  Record<Phase, { readonly types: readonly RuleType[]; readonly webhook: WebhookPhase }>
> = {
  mutate: { types: ["mutate"], webhook: "mutate" },
  verifyImages: { types: ["verifyImages"], webhook: "mutate" },
  validate: { types: ["validate", "checkImages"], webhook: "validate" },
  generate: { types: ["generate"], webhook: "validate" },
  mutateExisting: { types: ["mutateExisting"], webhook: "validate" },
};

/** All phases, in their order. */
export const phases = Object.keys(table) as readonly Phase[];

/** Whether a phase runs rules of a type. */
export function isOfPhase(type: RuleType, phase: Phase): boolean {
  return table[phase].types.includes(type);
}

/** The rules that a phase runs, of some rules. */
export function rulesOfPhase<Rule extends { readonly type: RuleType }>(
  rules: readonly Rule[],
  phase: Phase,
): readonly Rule[] {
  return rules.filter(({ type }) => isOfPhase(type, phase));
}

/** Whether a webhook is called for rules of a type. */
export function isOfWebhook(type: RuleType, webhook: WebhookPhase): boolean {
  return phases.some((phase) => table[phase].webhook === webhook && isOfPhase(type, phase));
}
