/**
 * The kinds of rule bodies as their authors write them: the fields of each, how it is recognised, read, and carried over
 * to the controllers of Pods. What a body does is said in `lib/rules`.
 *
 * @module
 */
export type { Section } from "./body_format.ts";
export type {
  AnyPatternCheck,
  CheckLoop,
  DenyCheck,
  ForeachCheck,
  LoopSpec,
  PatternCheck,
  Validation,
} from "./check.ts";
export type { GenerateBody, GenerateEntry, GeneratePatternSpec } from "./generate.ts";
export type {
  ChangeSpec,
  MutateExistingBody,
  MutateForeachBody,
  PatchBody,
  PatchLoop,
  PatchSpec,
  TargetSpec,
} from "./mutate.ts";
export type { AssertBody, CelBody, ManifestsBody, PodSecurityBody } from "./validate.ts";
export type { VerifyImagesBody } from "./verify_images.ts";
export {
  type BodyOf,
  bodySections,
  entriesWithin,
  formatOf,
  parseBody,
  type RuleBody,
  sectionOf,
  sectionShape,
} from "./table.ts";
