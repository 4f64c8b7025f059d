import type { BodyOf, Rule, RuleBody } from "../policy/mod.ts";
import { generate } from "./generate.ts";
import { mutateForeach, mutatePatch } from "./mutate.ts";
import { validateManifests } from "./manifests/mod.ts";
import { mutateExisting } from "./mutate_existing.ts";
import type { CompiledBody, RuleKind, RuleTools, RuleType } from "./rule_kind.ts";
import { unsupported } from "./unsupported.ts";
import { validateAssert } from "./validate_assert.ts";
import { validateCel } from "./validate_cel.ts";
import { validateDeny } from "./validate_deny.ts";
import { validateForeach } from "./validate_foreach.ts";
import { validatePodSecurity } from "./validate_pod_security.ts";
import { verifyImages } from "./verify_images/mod.ts";
import { validateAnyPattern, validatePattern } from "./validate_pattern.ts";

type Kinds = {
  readonly [Kind in Exclude<RuleBody["kind"], "empty" | "expressions">]: RuleKind<BodyOf<Kind>>;
};

/** The kinds of rule bodies: each record compiles the bodies of its kind. */
export const ruleKinds: Kinds = {
  assert: validateAssert,
  podSecurity: validatePodSecurity,
  cel: validateCel,
  manifests: validateManifests,
  deny: validateDeny,
  pattern: validatePattern,
  anyPattern: validateAnyPattern,
  foreach: validateForeach,
  mutateForeach,
  patch: mutatePatch,
  mutateExisting,
  generate,
  verifyImages,
};

/** A compiled body with its kind. */
export interface TypedBody {
  readonly type: RuleType;
  readonly kind: string;
  readonly body: CompiledBody;
}

/**
 * Compiles the body of a rule for each phase in which it runs. A rule without a body is reported, and answers with an
 * error.
 */
export function compileBodies(rule: Rule, tools: Omit<RuleTools, "rule">): readonly TypedBody[] {
  const { body } = rule;
  const kind: RuleKind = body.kind === "empty" || body.kind === "expressions"
    ? unsupported(body.section)
    : ruleKinds[body.kind];
  const bodies: TypedBody[] = [];
  for (let each: RuleKind | undefined = kind; each !== undefined; each = each.then) {
    bodies.push({ type: each.type, kind: each.name, body: each.compile(body, { ...tools, rule }) });
  }
  return bodies;
}
