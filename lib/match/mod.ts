/**
 * Decides which rules match which objects: match and exclude as predicates, and an index that leaves out rules that
 * cannot match. Variables are not supported in match and exclude.
 *
 * `rule_selector.ts` compiles the match and exclude of a classic rule, `constraints.ts` the resource rules of a policy
 * in CEL. `match_resources.ts` writes the match of a classic rule as such resource rules. `clause.ts` explains why an
 * object is not selected.
 *
 * @module
 */
export type { Dialect } from "../kube/mod.ts";
export { type Block, compileExceptionMatch, compileExclude, compileMatch } from "./block.ts";
export type { Candidate, User } from "./candidate.ts";
export { compileConstraints } from "./constraints.ts";
export type { Clause } from "./clause.ts";
export { labelTest } from "./filter.ts";
export { type Interest, MatchIndex } from "./match_index.ts";
export { keysOfBlock, keysOfCandidate } from "./object_keys.ts";
export {
  type InexpressiblePart,
  inexpressiblePart,
  matchResources,
  namespaceNames,
  objectNames,
  withRequirements,
} from "./match_resources.ts";
export {
  combinationsOf,
  mostCombinations,
  type ResourceRule,
  resourcesOfRule,
  writtenNames,
} from "./resource_rule.ts";
export { compileSelector, type ExplainedSelection, type RuleSelector } from "./rule_selector.ts";
