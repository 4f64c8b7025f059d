import type { Dialect } from "../kube/mod.ts";
import type { Rule } from "../policy/mod.ts";
import { type Block, compileExclude, compileMatch } from "./block.ts";
import type { Candidate } from "./candidate.ts";
import { type Clause, clausesOf } from "./clause.ts";
import type { ResourceRule } from "./resource_rule.ts";

/** Whether a rule selects an object, and if not, why, for explanations. */
export type Selection =
  | { readonly selected: true }
  | { readonly selected: false; readonly by: "match" | "exclude" | "autogen"; readonly criterion: string };

const selected: Selection = { selected: true };
const excluded: Selection = { selected: false, by: "exclude", criterion: "exclude" };
const notGenerated: Selection = { selected: false, by: "autogen", criterion: "kinds" };

/** A selection with the result of every clause of match and exclude. */
export interface ExplainedSelection {
  readonly selection: Selection;
  readonly match: readonly Clause[];
  readonly exclude: readonly Clause[];
  /** The only kinds of an autogen rule; `undefined` for a written rule. */
  readonly generatedFor: readonly string[] | undefined;
}

/** The compiled match and exclude of one rule. */
export interface RuleSelector {
  select(candidate: Candidate): Selection;
  /** As {@link select}, with reasons: it evaluates all clauses, where {@link select} stops as soon as it can. */
  explain(candidate: Candidate): ExplainedSelection;
  readonly match: Block;
  /** The resources of the rule, where it names resources of the API instead of kinds. */
  readonly resources?: readonly ResourceRule[];
  readonly needsNamespaceLabels: boolean;
  readonly needsRoles: boolean;
  /** Whether kind and operation alone decide, so that the result is the same for all objects of a type. */
  readonly decidedByType: boolean;
}

/**
 * Compiles a rule's match and exclude. Matching loads nothing but labels and roles, where the selector declares the
 * need.
 */
export function compileSelector(rule: Rule, dialect: Dialect): RuleSelector {
  const match = compileMatch(rule.match, dialect);
  const block = rule.exclude === undefined ? undefined : compileExclude(rule.exclude, dialect);
  const exclude = block?.empty ? undefined : block;
  const { generatedFor } = rule;
  const filters = [...match.filters, ...exclude?.filters ?? []];
  return {
    match,
    needsNamespaceLabels: filters.some((filter) => filter.needsNamespaceLabels),
    needsRoles: filters.some((filter) => filter.needsRoles),
    decidedByType: filters.every((filter) => filter.decidedByType),
    select,
    explain: (candidate) => ({
      selection: select(candidate),
      match: clausesOf("match", match, candidate),
      exclude: exclude === undefined ? [] : clausesOf("exclude", exclude, candidate),
      generatedFor: generatedFor && [...generatedFor],
    }),
  };

  function select(candidate: Candidate): Selection {
    if (generatedFor !== undefined && !generatedFor.has(candidate.kind)) return notGenerated;
    const criterion = match.mismatch(candidate);
    if (criterion !== undefined) return { selected: false, by: "match", criterion };
    return exclude !== undefined && exclude.mismatch(candidate) === undefined ? excluded : selected;
  }
}
