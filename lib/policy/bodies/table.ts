import { asObject, type Json, type JsonObject } from "../../json/mod.ts";
import type { EntrySpec } from "../../context/mod.ts";
import type { Shape } from "../../shape/mod.ts";
import type { BodyFormat, Section } from "./body_format.ts";
import { anyPatternFormat, denyFormat, foreachFormat, patternFormat } from "./check.ts";
import { generateFormat } from "./generate.ts";
import { mutateExistingFormat, mutateForeachFormat, patchFormat } from "./mutate.ts";
import { assertFormat, celFormat, manifestsFormat, podSecurityFormat } from "./validate.ts";
import { verifyImagesFormat } from "./verify_images.ts";

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

/**
 * Every kind of body, in the order in which a rule is compared with them: the first that recognises it parses it. A
 * new kind is a file with such a record and a line here; `lib/rules` compiles it.
 */
const formats = [
  assertFormat,
  podSecurityFormat,
  celFormat,
  manifestsFormat,
  denyFormat,
  patternFormat,
  anyPatternFormat,
  foreachFormat,
  mutateForeachFormat,
  patchFormat,
  mutateExistingFormat,
  generateFormat,
  verifyImagesFormat,
] as const;

type KindBody = ReturnType<(typeof formats)[number]["read"]>;

/** The parsed body of a rule. */
export type RuleBody = KindBody | ExpressionsBody | EmptyBody;

/** A rule body of one kind. */
export type BodyOf<Kind extends RuleBody["kind"]> = Extract<RuleBody, { kind: Kind }>;

const all: readonly BodyFormat<RuleBody>[] = formats;

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
  if (body.kind === "expressions" || body.kind === "empty") return body.section;
  return formats.find(({ kind }) => kind === body.kind)!.section;
}

/** The context entries in a body: those of its loops, at any depth, and of its targets. */
export function entriesWithin(body: RuleBody): readonly EntrySpec[] {
  return all.find(({ kind }) => kind === body.kind)?.entries?.(body) ?? [];
}
