import { error } from "./outcome.ts";
import type { RulePhase, RuleType } from "./rule_kind.ts";

/** The evaluation of rules whose body is not supported: they are reported, and answer with an error. */
export function unsupported(type: RuleType): RulePhase<unknown> {
  return {
    type,
    name: "unsupported",
    compile(_, { rule, report }) {
      const message = `Rule "${rule.name}" has no body that Postern can run`;
      report({ severity: "error", code: "unsupported-rule", message, path: [] });
      const broken = error(message);
      return { run: () => broken };
    },
  };
}
