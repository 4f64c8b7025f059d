import { asList } from "../json/mod.ts";
import type { Rule } from "../policy/mod.ts";
import { mutationConflicts } from "./mutation_conflicts.ts";
import { compileMutation, unchanged } from "./mutation.ts";
import type { RuleBody, RuleKind, RuleTools } from "./rule_kind.ts";

/** `mutate` with a patch: the object is changed before it is stored. */
export const mutatePatch: RuleKind = {
  type: "mutate",
  name: "patch",
  recognises: ({ mutate }) =>
    mutate !== undefined && asList(mutate["targets"]).length === 0 && asList(mutate["foreach"]).length === 0,
  compile,
};

/** `mutate.foreach`: a patch for each element of some lists. */
export const mutateForeach: RuleKind = {
  type: "mutate",
  name: "foreach",
  recognises: ({ mutate }) =>
    mutate !== undefined && asList(mutate["targets"]).length === 0 && asList(mutate["foreach"]).length > 0,
  compile,
};

function compile(rule: Rule, tools: RuleTools): RuleBody {
  const mutation = compileMutation(rule.mutate!, tools);
  for (const { rule: earlier, path } of mutationConflicts(rule, tools.policy.rules)) {
    tools.report({
      severity: "warning",
      code: "conflicting-mutation",
      message: `Rule "${rule.name}" writes ${path} differently from rule "${earlier}"; the later one wins`,
      path: ["mutate"],
    });
  }
  return {
    constants: [unchanged],
    ...(mutation.merge && { merge: mutation.merge }),
    run: ({ resource, context }) => resource === undefined ? undefined : mutation.run(resource, context),
  };
}
