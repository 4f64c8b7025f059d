import {
  asList,
  asObject,
  asString,
  asTexts,
  field,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { contextShape } from "../../context/mod.ts";
import { selectorShape, type Shape } from "../../shape/mod.ts";
import type { BodyFormat } from "./body_format.ts";
import { type LoopSpec, parseLoop } from "./check.ts";

/** Generates objects for the request's object, the trigger. */
export interface GenerateBody {
  readonly kind: "generate";
  /** Whether generated objects are kept in step with the rule, and deleted with their trigger. */
  readonly synchronize: boolean;
  readonly orphanDownstreamOnPolicyDelete: boolean;
  /** Whether the rule generates for triggers that exist when its policy comes into force. */
  readonly generateExisting: boolean;
  /** One pattern, or one for each entry of `foreach`. */
  readonly patterns: readonly GenerateEntry[];
}

/** A pattern with the loop around it; `loop` is `undefined` for the pattern of the rule itself. */
export interface GenerateEntry {
  readonly loop: LoopSpec | undefined;
  readonly pattern: GeneratePatternSpec;
}

/** The object to generate: `data`, or copies of other objects. The texts are templates; absent ones are empty. */
export interface GeneratePatternSpec {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly data: Json | undefined;
  readonly clone: { readonly name: string; readonly namespace: string } | undefined;
  readonly cloneList:
    | {
      readonly namespace: string;
      /** `v1/Secret`. */
      readonly kinds: readonly string[];
      readonly selector: JsonObject | undefined;
    }
    | undefined;
}

const pattern = {
  apiVersion: "text",
  kind: "text",
  name: "text",
  namespace: "text",
  uid: "text",
  data: "open",
  clone: { name: "text", namespace: "text" },
  cloneList: { namespace: "text", kinds: ["text"], selector: selectorShape },
  context: contextShape,
  preconditions: "open",
} as const satisfies Shape;

export const generateFormat: BodyFormat<GenerateBody> = {
  kind: "generate",
  section: "generate",
  shape: {
    ...pattern,
    synchronize: "flag",
    orphanDownstreamOnPolicyDelete: "flag",
    generateExisting: "flag",
    foreach: [{ list: "text", ...pattern }],
  },
  recognises: isObject,
  read: (generate) => {
    const entries = asList(field(generate, "foreach")).filter(isObject);
    return {
      kind: "generate",
      synchronize: field(generate, "synchronize") === true,
      orphanDownstreamOnPolicyDelete: field(generate, "orphanDownstreamOnPolicyDelete") === true,
      generateExisting: field(generate, "generateExisting") === true,
      patterns: entries.length > 0
        ? entries.map((entry) => ({ loop: parseLoop(entry), pattern: parsePattern(entry) }))
        : [{ loop: undefined, pattern: parsePattern(generate) }],
    };
  },
  entries: ({ patterns }) => patterns.flatMap(({ loop }) => loop?.context ?? []),
};

function parsePattern(written: Json): GeneratePatternSpec {
  const clone = asObject(field(written, "clone"));
  const list = asObject(field(written, "cloneList"));
  return {
    apiVersion: text(written, "apiVersion"),
    kind: text(written, "kind"),
    name: text(written, "name"),
    namespace: text(written, "namespace"),
    data: field(written, "data"),
    clone: clone && { name: text(clone, "name"), namespace: text(clone, "namespace") },
    cloneList: list && {
      namespace: text(list, "namespace"),
      kinds: asTexts(list["kinds"]),
      selector: asObject(list["selector"]),
    },
  };
}

function text(written: Json, name: string): string {
  return asString(field(written, name)) ?? "";
}
