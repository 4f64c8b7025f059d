import type { Json, JsonObject } from "../../json/mod.ts";
import type { Shape } from "../shape.ts";

/** The field of a rule that holds its body. */
export type Section = "validate" | "mutate" | "generate" | "verifyImages";

/** How bodies of one kind are written: the fields of their section, how they are known, read and carried over. */
export interface BodyFormat<Body extends { readonly kind: string }> {
  readonly kind: Body["kind"];
  readonly section: Section;
  /** The fields that the kind adds to its section; `undefined` when it has the fields of another kind. */
  readonly shape?: { readonly [field: string]: Shape };
  recognises(section: Json): boolean;
  read(section: Json): Body;
  /**
   * The fields of the section for controllers of Pods, where `wrap` puts a pattern below the Pod template; `undefined`
   * when such a body cannot be carried over.
   */
  carryOver?(section: JsonObject, wrap: (pattern: Json) => Json): JsonObject | undefined;
}
