import type * as full from "../too_many_rules.ts";

/** `bundle` refuses policies with more rules. */
const maxRules: typeof full.maxRules = 2_000;

/** A rule that matches everything, so that a broken policy lets nothing pass. */
const representativeRules: typeof full.representativeRules = () => [
  { name: "rule-0", match: { any: [{ resources: { kinds: ["*"] } }] }, validate: {} },
];

export { maxRules, representativeRules };
