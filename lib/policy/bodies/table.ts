import { asObject, type Json, type JsonObject } from "../../json/mod.ts";
import type { EntrySpec } from "../context_entry.ts";
import type { Shape } from "../shape.ts";
import type { BodyFormat, Section } from "./body_format.ts";
import {
  type AnyPatternCheck,
  anyPatternFormat,
  type CheckLoop,
  type DenyCheck,
  denyFormat,
  type ForeachCheck,
  foreachFormat,
  type PatternCheck,
  patternFormat,
  type Validation,
} from "./check.ts";
import { type GenerateBody, generateFormat } from "./generate.ts";
import {
  type MutateExistingBody,
  mutateExistingFormat,
  type MutateForeachBody,
  mutateForeachFormat,
  type PatchBody,
  patchFormat,
  type PatchLoop,
} from "./mutate.ts";
import {
  type AssertBody,
  assertFormat,
  type CelBody,
  celFormat,
  type ManifestsBody,
  manifestsFormat,
  type PodSecurityBody,
  podSecurityFormat,
} from "./validate.ts";
import { type VerifyImagesBody, verifyImagesFormat } from "./verify_images.ts";

/** The parsed body of a rule. */
export type RuleBody =
  | AssertBody
  | PodSecurityBody
  | CelBody
  | ManifestsBody
  | (DenyCheck & Validation)
  | (PatternCheck & Validation)
  | (AnyPatternCheck & Validation)
  | (ForeachCheck & Validation)
  | PatchBody
  | MutateForeachBody
  | MutateExistingBody
  | GenerateBody
  | VerifyImagesBody
  | ExpressionsBody
  | EmptyBody;

/** The body of a CEL policy: its whole spec. */
export interface ExpressionsBody {
  readonly kind: "expressions";
  readonly section: Section;
  readonly spec: JsonObject;
}

/** A rule without a body of a supported kind; `section` is the section that it has, if any. */
export interface EmptyBody {
  readonly kind: "empty";
  readonly section: Section;
}

/** A rule body of one kind. */
export type BodyOf<Kind extends RuleBody["kind"]> = Extract<RuleBody, { kind: Kind }>;

type FormattedKind = Exclude<RuleBody["kind"], "expressions" | "empty">;
type Formats = { readonly [Kind in FormattedKind]: BodyFormat<BodyOf<Kind>> };

/**
 * Every kind of body, in the order in which a rule is compared with them: the first that recognises it parses it. A
 * new kind is a file with such a record and a line here; `lib/rules` compiles it.
 */
const formats: Formats = {
  assert: assertFormat,
  podSecurity: podSecurityFormat,
  cel: celFormat,
  manifests: manifestsFormat,
  deny: denyFormat,
  pattern: patternFormat,
  anyPattern: anyPatternFormat,
  foreach: foreachFormat,
  mutateForeach: mutateForeachFormat,
  patch: patchFormat,
  mutateExisting: mutateExistingFormat,
  generate: generateFormat,
  verifyImages: verifyImagesFormat,
};

const all: readonly BodyFormat<RuleBody>[] = Object.values(formats);

const sections: readonly Section[] = ["validate", "mutate", "generate", "verifyImages"];

/** The sections of a rule that may hold its body, for messages. */
export const bodySections: readonly string[] = sections;

/** The format of a section's contents; `undefined` for an unknown kind. */
export function formatOf(section: Section, written: Json): BodyFormat<RuleBody> | undefined {
  return all.find((format) => format.section === section && format.recognises(written));
}

/** Parses the body of a rule. */
export function parseBody(rule: JsonObject): RuleBody {
  for (const section of sections) {
    const written = section === "verifyImages" ? rule[section] : asObject(rule[section]);
    if (written === undefined) continue;
    const format = formatOf(section, written);
    if (format !== undefined) return format.read(written);
  }
  const held = (["mutate", "generate", "verifyImages"] as const).find((name) => rule[name] !== undefined);
  return { kind: "empty", section: held ?? "validate" };
}

/** The shape of a rule's section: the fields of all body kinds in it. */
export function sectionShape(section: Section): { readonly [field: string]: Shape } {
  return Object.assign(
    {},
    ...all.filter((format) => format.section === section).map(({ shape }) => shape ?? {}),
  );
}

/** The section of a body. */
export function sectionOf(body: RuleBody): Section {
  return body.kind === "expressions" || body.kind === "empty" ? body.section : formats[body.kind].section;
}

/** The context entries in a body: those of its loops, at any depth, and of its targets. */
export function entriesWithin(body: RuleBody): readonly EntrySpec[] {
  switch (body.kind) {
    case "foreach":
      return body.entries.flatMap(entriesOfLoop);
    case "mutateForeach":
      return body.change.entries.flatMap(entriesOfPatchLoop);
    case "mutateExisting": {
      const loops = body.change.by === "foreach" ? body.change.entries.flatMap(entriesOfPatchLoop) : [];
      return [...body.targets.flatMap(({ context }) => context), ...loops];
    }
    case "generate":
      return body.patterns.flatMap(({ loop }) => loop?.context ?? []);
    default:
      return [];
  }
}

function entriesOfLoop({ context, check }: CheckLoop): readonly EntrySpec[] {
  return [...context, ...(check?.kind === "foreach" ? check.entries.flatMap(entriesOfLoop) : [])];
}

function entriesOfPatchLoop({ context, inner }: PatchLoop): readonly EntrySpec[] {
  return [...context, ...inner.flatMap(entriesOfPatchLoop)];
}
