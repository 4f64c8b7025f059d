import { asObject, isGiven, type Json, type JsonObject } from "../../json/mod.ts";
import {
  type EmptyBody,
  type ExpressionsBody,
  type ParsedBody,
  type Rule,
  type Section,
  sections,
} from "../../policy/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
import type { CompiledBody, PhaseTraits, RuleKind, RulePhase, RuleTools, RuleType } from "../rule_kind.ts";
import { type MissingBody, unsupported } from "../unsupported.ts";
import { assertNotes, validateAssert } from "./assert.ts";
import { celRuleNotes, validateCel } from "./cel.ts";
import { denyNotes, validateDeny } from "./deny.ts";
import { foreachNotes, validateForeach } from "./foreach.ts";
import { generate, generateNotes } from "./generate.ts";
import { manifestsNotes, validateManifests } from "./manifests.ts";
import { mutateForeach, mutateNotes, mutatePatch } from "./mutate.ts";
import { mutateExisting, mutateExistingNotes } from "./mutate_existing.ts";
import { patternNotes, validateAnyPattern, validatePattern } from "./pattern.ts";
import { podSecurityNotes, validatePodSecurity } from "./pod_security.ts";
import { verifyImages, verifyImagesNotes } from "./verify_images.ts";

/**
 * Every kind of rule body, in the order in which a rule is compared with them: the first that recognises it parses it.
 * A new kind is a file, with its record here and its notes in `kindNotes`.
 */
const kinds = [
  validateAssert,
  validatePodSecurity,
  validateCel,
  validateManifests,
  validateDeny,
  validatePattern,
  validateAnyPattern,
  validateForeach,
  mutateForeach,
  mutatePatch,
  mutateExisting,
  generate,
  verifyImages,
] as const;

type KindBody = ReturnType<(typeof kinds)[number]["read"]>;

/** The parsed body of a rule. */
export type RuleBody = KindBody | ExpressionsBody | EmptyBody;

/** A rule body of one kind. */
export type BodyOf<Kind extends RuleBody["kind"]> = Extract<RuleBody, { kind: Kind }>;

/** Every kind of rule body. */
export const ruleKinds: readonly RuleKind<KindBody>[] = kinds;

/** The kind of a section's contents; `undefined` for contents of no kind. */
export function kindOf(section: Section, written: Json): RuleKind<KindBody> | undefined {
  return ruleKinds.find((kind) => kind.section === section && kind.recognises(written));
}

/** Parses the body of a rule. Its section is that of its kind; of an empty body the one that the rule has. */
export function parseBody(rule: JsonObject): { readonly section: Section; readonly body: RuleBody } {
  for (const section of sections) {
    const written = section === "verifyImages" ? rule[section] : asObject(rule[section]);
    const kind = written === undefined ? undefined : kindOf(section, written);
    if (kind !== undefined) return { section, body: kind.read(written!) };
  }
  const order = ["mutate", "generate", "verifyImages", "validate"] as const;
  const held = order.find((name) => rule[name] !== undefined);
  return { section: held ?? "validate", body: { kind: "empty", hasSection: held !== undefined } };
}

/** The bodies of a rule, as a user writes them; only the first runs. */
export function bodiesOf(rule: JsonObject): readonly string[] {
  const validate = asObject(rule["validate"]);
  const validations = ruleKinds.filter(({ section, recognises }) =>
    section === "validate" && validate !== undefined && recognises(validate)
  );
  const others = sections.filter((section) => section !== "validate" && isGiven(rule[section]));
  return [...validations.map(({ name }) => `validate.${name}`), ...others];
}

/** The shape of a rule's section: the fields of all kinds in it. */
export function sectionShape(section: Section): { readonly [field: string]: Shape } {
  return Object.assign({}, ...ruleKinds.filter((kind) => kind.section === section).map(({ shape }) => shape));
}

/**
 * The descriptions of the fields of all kinds. A function returns them: a bundler leaves out a function that nothing
 * calls, but it keeps every field of a record.
 */
export function kindNotes(): readonly FieldNotes[] {
  return [
    assertNotes,
    podSecurityNotes,
    celRuleNotes,
    manifestsNotes,
    denyNotes,
    patternNotes,
    foreachNotes,
    mutateNotes,
    mutateExistingNotes,
    generateNotes,
    verifyImagesNotes,
  ];
}

/** The names that variables of a body can read beside the rule's context entries. */
export function namesWithin(body: RuleBody): readonly string[] {
  return kindOfBody(body)?.names?.(body as KindBody) ?? [];
}

function kindOfBody(body: ParsedBody): RuleKind<KindBody> | undefined {
  return ruleKinds.find(({ kind }) => kind === body.kind);
}

/** The problem of a rule without a body of any kind. */
function missingBody({ name, section, body }: Rule<RuleBody>): MissingBody {
  if (body.kind === "empty" && !body.hasSection) {
    const hint = `give it one of ${sections.join(", ")}`;
    return { code: "empty-rule", message: `Rule "${name}" does nothing`, hint };
  }
  const hint = `fields of ${section}: ${Object.keys(sectionShape(section)).join(", ")}`;
  return { code: "unsupported-rule", message: `Rule "${name}" has no body that Postern can run`, hint };
}

/** A compiled body with its kind. */
export interface TypedBody extends PhaseTraits {
  readonly type: RuleType;
  readonly kind: string;
  readonly body: CompiledBody;
}

/**
 * Compiles the body of a rule for each phase in which it runs. A rule without a body is reported, and answers with an
 * error.
 */
export function compileBodies(rule: Rule<RuleBody>, tools: Omit<RuleTools, "rule">): readonly TypedBody[] {
  const kind = kindOfBody(rule.body);
  const phases: readonly RulePhase<KindBody>[] = kind === undefined
    ? [unsupported(rule.section, missingBody(rule))]
    : kind.then === undefined
    ? [kind]
    : [kind, kind.then];
  return phases.map(({ type, name, traits, compile }) => ({
    ...traits,
    type,
    kind: name,
    body: compile(rule.body as KindBody, { ...tools, rule }),
  }));
}
