import type { Json, JsonObject, StepBudget } from "../json/mod.ts";
import type { AnchorKind } from "./anchor.ts";
import type { ScalarTest } from "./comparison.ts";
import type { PathStep } from "./mismatch.ts";

/** A value that took the place of a template, with its test. */
export interface Filled {
  readonly value: Json;
  readonly test: ScalarTest;
  readonly cost: number;
}

/** The state of one walk over a resource. */
export interface Walk {
  /**
   * For each tracked key of the maps visited so far, by its full text: whether any map of the resource had the
   * key. The first tracked key makes it.
   */
  presence: Map<string, boolean> | undefined;
  /** The values of the pattern's templates, by their numbers. */
  readonly filled: readonly Filled[];
  /** The steps that the walk may take. After them everything is a mismatch. */
  readonly steps: StepBudget;
}

/** A compiled part of a pattern. `check` compares it with a value. */
export type Node = ScalarNode | TemplateNode | MapNode | ListNode;

/** The fields of all nodes. */
interface NodeFields {
  /** Returns the part with its templates replaced by values; `undefined` for a part without templates. */
  readonly fill: ((values: readonly Json[]) => Json) | undefined;
  /** Whether the part holds an anchored key at any depth. */
  readonly anchored: boolean;
}

/** A scalar: a value must pass its test. */
export interface ScalarNode extends NodeFields {
  readonly kind: "scalar";
  readonly pattern: Json;
  readonly test: ScalarTest;
  /** The steps of testing a short value. */
  readonly cost: number;
}

/** A scalar that only the request determines. */
export interface TemplateNode extends NodeFields {
  readonly kind: "template";
  /** Its number among the pattern's templates. */
  readonly template: number;
}

/**
 * A key of a pattern's map, ready to be compared. The fields that every comparison reads come first, so that they share
 * a line of the processor's cache: see "Few requests" in docs/listener.md.
 */
export interface PatternEntry {
  /** The key of the resource: without the anchor. */
  readonly key: string;
  readonly kind: AnchorKind | "plain";
  readonly node: Node;
  /** For a key with wildcards: the keys of the resource that match it, in the order of their bytes. */
  readonly choose: ((resource: JsonObject, steps: StepBudget) => readonly string[]) | undefined;
  /** Whether every object inherits a property of the key's name; any other key can be read directly. */
  readonly inherited: boolean;
  /** The key as the pattern has it. */
  readonly text: string;
  readonly pattern: Json;
  /** Deciding keys run first: they decide whether the map applies at all. */
  readonly phase: "deciding" | "rest";
  /** Whether the value holds an anchored key. */
  readonly nested: boolean;
  /** Whether the key or its value is anchored. */
  readonly anchored: boolean;
}

/** A map. */
export interface MapNode extends NodeFields {
  readonly kind: "map";
  readonly pattern: JsonObject;
  /** Keys for which the walk notes whether the resource had them: a failure is an error when it lacked one. */
  readonly tracked: readonly PatternEntry[];
  /** Keys that run first: they decide whether the map applies. */
  readonly deciding: readonly PatternEntry[];
  readonly rest: readonly PatternEntry[];
}

/** A list. */
export interface ListNode extends NodeFields {
  readonly kind: "list";
  readonly pattern: readonly Json[];
  readonly items: readonly Node[];
  /** How the resource's list is compared; the first item decides. */
  readonly means: "nothing" | "every scalar" | "every element" | "by index";
}

/**
 * The section of an object's metadata that a node is in. It changes the meaning of the node. `labels` includes
 * annotations.
 */
export type MetadataSection = "metadata" | "labels" | "label" | "elsewhere";

/** The position of a template in a pattern. */
export type TemplateRole = "value" | "label" | "key";

/** A text of the pattern that may be a template. */
export interface TemplateText {
  readonly text: string;
  readonly path: readonly PathStep[];
  readonly role: TemplateRole;
}

/** The compiler's functions that kinds of nodes call. */
export interface Compiler {
  /** Compiles the part of the pattern at that path. */
  node(pattern: Json, path: readonly PathStep[], section: MetadataSection): Node;
  /** Registers a template and returns its number; `undefined` when the text is no template. */
  template(text: TemplateText): number | undefined;
}
