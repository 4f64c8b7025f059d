import type { Json, JsonObject } from "../../json/mod.ts";
import type { EntrySpec } from "../../context/mod.ts";
import type { Shape } from "../../shape/mod.ts";

/** The field of a rule that holds its body. */
export type Section = "validate" | "mutate" | "generate" | "verifyImages";

/**
 * The format of one kind of body: the fields of its section, and how the body is recognised, parsed and moved to pod
 * controllers.
 */
export interface BodyFormat<Body extends { readonly kind: string }> {
  readonly kind: Body["kind"];
  readonly section: Section;
  /** The fields that the kind adds to its section; absent for a kind with the fields of another one. */
  readonly shape?: { readonly [field: string]: Shape };
  recognises(section: Json): boolean;
  read(section: Json): Body;
  /** The context entries inside a body; absent where there are none. */
  entries?(body: Body): readonly EntrySpec[];
  /**
   * The section for pod controllers; `wrap` moves a pattern below the Pod template. Absent or `undefined` when such a
   * body cannot be moved.
   */
  carryOver?(section: JsonObject, wrap: (pattern: Json) => Json): JsonObject | undefined;
}
