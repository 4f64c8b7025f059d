/**
 * Gates of one file, with engine and policies in it: what they are made of, and what each platform calls. The file of a
 * platform, `targets/NAME.ts`, is where its bundle begins; it exports the `target` and `open`.
 *
 * @module
 */
export type { BundledPolicies } from "./bundled_gate.ts";
export { limitsOf, readsImages } from "./limits.ts";
export { type BundlePart, bundleParts, leftOutModules, standInOf } from "./parts.ts";
export { type PolicyFacts, policyFacts } from "./policy_facts.ts";
export type { Settings } from "./settings.ts";
export type { BundleTarget } from "./target.ts";
export { bundleTargets } from "./targets/table.ts";
