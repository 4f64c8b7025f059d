import { error } from "./outcome.ts";
import type { RuleKind, RuleType } from "./rule_kind.ts";

/** Rules of a type whose body does nothing here: they are reported, and answer with an error. */
export function unsupported(type: RuleType): RuleKind {
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
