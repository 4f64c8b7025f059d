/**
 * Bundles: gates in one file that contains the engine and the policies. This folder has the parts of a bundle and the
 * entry point of each platform. The entry point is `targets/NAME.ts`; it exports `target` and `open`.
 *
 * @module
 */
export type { BundledPolicies } from "./bundled_gate.ts";
export { limitsOf } from "./limits.ts";
export { bundleParts, leftOutModules, standInOf } from "./parts.ts";
export { type PolicyFacts, policyFacts } from "./policy_facts.ts";
export type { BundleTarget } from "./target.ts";
export { bundleTargets } from "./targets/table.ts";
