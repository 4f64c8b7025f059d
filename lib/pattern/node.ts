import type { Json } from "../json/mod.ts";
import type { ScalarTest } from "./comparison.ts";
import type { Mismatch, Step } from "./mismatch.ts";

/** A value that took the place of a template, with its test. */
export interface Filled {
  readonly value: Json;
  readonly test: ScalarTest;
}

/** What one walk over a resource remembers. */
export interface Walk {
  /**
   * For the anchored keys of the maps visited so far, by their full text: whether any resource map had the key. Made
   * when the first one is visited.
   */
  presence: Map<string, boolean> | undefined;
  /** The values of the pattern's templates, by their numbers. */
  readonly filled: readonly Filled[];
}

/** A compiled piece of a pattern. */
export interface Node {
  /** Compares a value, `undefined` when missing; answers with the mismatch if there is one. */
  readonly check: (value: Json | undefined, walk: Walk) => Mismatch | undefined;
  /** The piece with its templates replaced by values. */
  readonly fill: (values: readonly Json[]) => Json;
  /** Whether the piece holds an anchored key at any depth. */
  readonly anchored: boolean;
  /** The number of the template that this piece is; `undefined` for anything else. */
  readonly template: number | undefined;
  /** The pieces of a list, in order; empty for anything else. */
  readonly items: readonly Node[];
}

/** Where a piece stands, as far as that changes its meaning: `labels` is also the place of annotations. */
export type Place = "metadata" | "labels" | "label" | "elsewhere";

/** What a template stands for. */
export type TemplateRole = "value" | "label" | "key";

/** A text of the pattern that may be a template. */
export interface TemplateText {
  readonly text: string;
  readonly path: readonly Step[];
  readonly role: TemplateRole;
}

/** What the kinds of nodes need from the compiler that they are part of. */
export interface Compiler {
  /** Compiles a part of the pattern, found at that path. */
  node(pattern: Json, path: readonly Step[], place: Place): Node;
  /** Registers a text that is a template and answers with its number; `undefined` when it is none. */
  template(text: TemplateText): number | undefined;
}
