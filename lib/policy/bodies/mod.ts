/**
 * The kinds of rule bodies in documents: the fields of each, and how it is recognised, parsed and moved to pod
 * controllers. `lib/rules` compiles them.
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
