import { error } from "../../outcome.ts";
import { leftOutProblem } from "../../left_out/left_out_rule.ts";
import type { PolicyKind } from "../policy_kind.ts";

/**
 * Stands in for kinds of policies that a bundle leaves out. A policy of such a kind is reported, and answers with an
 * error.
 */
export function leftOutKind({ group, kinds }: Pick<PolicyKind, "group" | "kinds">): PolicyKind {
  return {
    group,
    kinds,
    type: "validate",
    name: "left out",
    section: "validate",
    ruleName: "none",
    variants: () => [],
    constraints: () => undefined,
    compile(_, { policy, report }) {
      const problem = leftOutProblem(`policies of kind ${policy.kind}`);
      report(problem);
      return { run: () => error(problem.message) };
    },
  };
}
