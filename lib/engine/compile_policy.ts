import type { Need } from "../context/mod.ts";
import { type Diagnostic, withPosition } from "../diagnostics/mod.ts";
import type { Stages } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { ClassicPolicy, Policy, Rule } from "../policy/mod.ts";
import {
  type CompiledConditions,
  compileWebhookConditions,
  type MutationConflict,
  MutationConflicts,
  type RuleBody,
} from "../rules/mod.ts";
import type { CompiledPolicy, CompiledRule, RuleExceptions } from "./compiled.ts";
import { compileUnlessRefused, type RefusedPolicies } from "./kyverno_refusals.ts";
import { compileRule } from "./compile_rule.ts";

/** The options of compiling a policy. */
export interface CompilePolicyOptions {
  /** The exceptions of a rule, by its name. */
  readonly exceptions: (rule: string) => RuleExceptions;
  /** The first error that was found when the policy was parsed. */
  readonly broken: Diagnostic | undefined;
  readonly refusedByKyverno: RefusedPolicies;
  readonly dialect: Dialect;
  readonly conditions: CompiledConditions;
  report(diagnostic: Diagnostic): void;
}

/**
 * Compiles a ClusterPolicy or Policy, each rule in a stage. A broken policy answers as its failurePolicy says.
 */
export function compilePolicy(
  policy: ClassicPolicy<RuleBody>,
  options: CompilePolicyOptions,
): Stages<CompiledPolicy> {
  return options.refusedByKyverno === "evaluated" || options.broken !== undefined
    ? compiled(policy, options)
    : compileUnlessRefused(policy, options, (changed) => compiled(policy, changed));
}

function* compiled(policy: ClassicPolicy<RuleBody>, options: CompilePolicyOptions): Stages<CompiledPolicy> {
  const { report } = options;
  let { broken } = options;
  const needs: Need[] = [];
  const conditions = compileWebhookConditions(policy.matchConditions, {
    need: (need) => void needs.push(need),
    report(problem) {
      const diagnostic = { ...withPosition(problem, policy.locate), policy: policy.key };
      report(diagnostic);
      broken ??= diagnostic;
    },
  });
  // Kyverno parity: a policy with a rule for existing objects may read the user. Pinned by "the requesting
  // user in a background policy that changes existing objects".
  const withoutUser = policy.background && !policy.rules.some(({ body }) => body.kind === "mutateExisting");
  const written = new MutationConflicts(policy.rules);
  const conflicts = (rule: Rule): readonly MutationConflict[] => written.of(rule);
  const rules: CompiledRule[] = [];
  for (const rule of policy.rules) {
    rules.push(...compileRule(rule, { ...options, policy, broken, conflicts, withoutUser }));
    yield;
  }
  return {
    policy,
    rules,
    needs,
    // Broken match conditions select every request: the broken rules then answer it.
    matchConditions: broken === undefined ? conditions : undefined,
    audited: isAudited(policy),
    broken,
  };
}

function isAudited({ rules, failureAction, overrides, emitWarning }: Policy): boolean {
  if (emitWarning) return false;
  return [...overrides, ...rules.flatMap((rule) => rule.overrides)].some(({ action }) =>
    action === "Audit"
  ) ||
    rules.some((rule) => rule.section === "validate" && (rule.failureAction ?? failureAction) === "Audit");
}
