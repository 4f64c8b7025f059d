import type { PathDiagnostic } from "../diagnostics/mod.ts";
import { error } from "./outcome.ts";
import type { RulePhase, RuleType } from "./rule_kind.ts";

/** The problem of a rule that has no body of a supported kind. */
export type MissingBody = Pick<PathDiagnostic, "code" | "message" | "hint">;

/** The evaluation of rules whose body is not supported: they are reported, and answer with an error. */
export function unsupported(type: RuleType, problem: MissingBody): RulePhase<unknown> {
  return {
    type,
    name: "unsupported",
    compile(_, { report }) {
      report({ severity: "error", ...problem, path: [] });
      const broken = error(problem.message);
      return { run: () => broken };
    },
  };
}
