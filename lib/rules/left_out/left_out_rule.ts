import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { error } from "../outcome.ts";
import type { CompiledBody, RuleTools } from "../rule_kind.ts";

/** Says that a bundle was made without a part that a policy needs. */
export function leftOutProblem(name: string): PathDiagnostic {
  return {
    severity: "error",
    code: "left-out",
    message: `this bundle was made without ${name}`,
    hint: "make the bundle again with this policy",
    path: [],
  };
}

/**
 * Stands in for the evaluation of a kind that no policy of a bundle has: a rule is reported, and answers with an error.
 */
export function leftOutRule(name: string): (body: unknown, tools: RuleTools) => CompiledBody {
  return (_, { report }) => {
    const problem = leftOutProblem(`rules of ${name}`);
    report(problem);
    return { run: () => error(problem.message) };
  };
}
