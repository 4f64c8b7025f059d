import type { Rule } from "../policy/mod.ts";
import { generate } from "./generate.ts";
import { mutateForeach, mutatePatch } from "./mutate.ts";
import { mutateExisting } from "./mutate_existing.ts";
import { error } from "./outcome.ts";
import type { RuleBody, RuleKind, RuleTools } from "./rule_kind.ts";
import { validateAssert } from "./validate_assert.ts";
import { validateCel } from "./validate_cel.ts";
import { validateDeny } from "./validate_deny.ts";
import { validateForeach } from "./validate_foreach.ts";
import { validatePodSecurity } from "./validate_pod_security.ts";
import { validateAnyPattern, validatePattern } from "./validate_pattern.ts";

/** Every kind of rule, in the order in which they are tried: the first that recognises a rule compiles it. */
const ruleKinds: readonly RuleKind[] = [
  validateAssert,
  validatePodSecurity,
  validateCel,
  validateDeny,
  validatePattern,
  validateAnyPattern,
  validateForeach,
  mutateForeach,
  mutatePatch,
  mutateExisting,
  generate,
];

/** A rule's body with its kind. */
export interface TypedBody {
  readonly type: RuleKind["type"];
  readonly kind: string;
  readonly body: RuleBody;
}

/** Compiles the body of a rule. One that no kind recognises is reported, and answers with an error. */
export function compileBody(rule: Rule, tools: RuleTools): TypedBody {
  const kind = ruleKinds.find((candidate) => candidate.recognises(rule));
  if (kind !== undefined) return { type: kind.type, kind: kind.name, body: kind.compile(rule, tools) };
  const type = rule.mutate
    ? "mutate"
    : rule.generate
    ? "generate"
    : rule.verifyImages
    ? "verifyImages"
    : "validate";
  const message = `Rule "${rule.name}" has no body that Postern can run`;
  tools.report({ severity: "error", code: "unsupported-rule", message, path: [] });
  const broken = error(message);
  return { type, kind: "unsupported", body: { run: () => broken } };
}
