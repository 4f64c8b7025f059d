import type { BodyOf, MutateForeachBody, PatchBody } from "../policy/mod.ts";
import { mutationConflicts } from "./mutation_conflicts.ts";
import { compileMutation, unchanged } from "./mutation.ts";
import type { CompiledBody, RuleKind, RuleTools } from "./rule_kind.ts";

/** `mutate` with a patch, which changes the object before it is stored. */
export const mutatePatch: RuleKind<BodyOf<"patch">> = {
  type: "mutate",
  name: "patch",
  compile,
};

/** `mutate.foreach`: a patch for each element of some lists. */
export const mutateForeach: RuleKind<BodyOf<"mutateForeach">> = {
  type: "mutate",
  name: "foreach",
  compile,
};

function compile({ change }: PatchBody | MutateForeachBody, tools: RuleTools): CompiledBody {
  const { rule } = tools;
  const mutation = compileMutation(change, tools);
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
