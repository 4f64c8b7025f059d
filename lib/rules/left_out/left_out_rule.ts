import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import type { RuleBody } from "../../policy/mod.ts";
import { error } from "../outcome.ts";
import type { RuleKind } from "../rule_kind.ts";

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

/** Stands in for a kind of rule that no policy of a bundle has: a rule of it is reported, and answers with an error. */
export function leftOutRule<Body extends RuleBody>(
  { type, name }: Pick<RuleKind, "type" | "name">,
): RuleKind<Body> {
  return {
    type,
    name,
    compile(_, { report }) {
      const problem = leftOutProblem(`rules of ${name}`);
      report(problem);
      return { run: () => error(problem.message) };
    },
  };
}
