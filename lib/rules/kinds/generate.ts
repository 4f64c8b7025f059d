import { contextShape } from "../../context/mod.ts";
import {
  asBoolean,
  asList,
  asObject,
  asTexts,
  field,
  isObject,
  type Json,
  textField,
} from "../../json/mod.ts";
import { type FieldNotes, selectorShape, type Shape } from "../../shape/mod.ts";
import { compileGenerate, type GenerateBody } from "../generate.ts";
import type { GeneratePatternSpec } from "../generate_pattern.ts";
import { parseLoop } from "../loop.ts";
import type { RuleKind } from "../rule_kind.ts";

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

/** The descriptions of the fields of `generate`. */
export const generateNotes: FieldNotes = {
  "generate.foreach": "Makes objects for each element of lists.",
  "generate.name": "The name of the object that is made.",
  "generate.namespace": "The namespace of the object that is made.",
  "synchronize": "Whether the object follows later changes of its source and trigger. Default false.",
  "generate.generateExisting": "Whether objects are made for triggers that exist already. Default false.",
  "orphanDownstreamOnPolicyDelete": "Whether objects stay when the policy is deleted. Default false.",
  "generate.data": "The object that is made, without kind and name.",
  "foreach.data": "The object that is made, without kind and name.",
  "clone": "An object that is copied.",
  "clone.name": "The name of the object that is copied.",
  "clone.namespace": "The namespace of the object that is copied.",
  "cloneList": "Objects of a namespace that are copied.",
};

/** `generate`: generates objects for the request's object, the trigger. */
export const generate: RuleKind<GenerateBody> = {
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
  read: (section) => {
    const entries = asList(field(section, "foreach")).filter(isObject);
    return {
      kind: "generate",
      synchronize: field(section, "synchronize") === true,
      orphanDownstreamOnPolicyDelete: field(section, "orphanDownstreamOnPolicyDelete") === true,
      generateExisting: asBoolean(field(section, "generateExisting")),
      patterns: entries.length > 0
        ? entries.map((entry) => ({ loop: parseLoop(entry), pattern: parsePattern(entry) }))
        : [{ loop: undefined, pattern: parsePattern(section) }],
    };
  },
  names: ({ patterns }) => patterns.flatMap(({ loop }) => loop?.context ?? []).map(({ name }) => name),
  type: "generate",
  name: "generate",
  compile: compileGenerate,
};

function parsePattern(written: Json): GeneratePatternSpec {
  const clone = asObject(field(written, "clone"));
  const list = asObject(field(written, "cloneList"));
  return {
    apiVersion: textField(written, "apiVersion"),
    kind: textField(written, "kind"),
    name: textField(written, "name"),
    namespace: textField(written, "namespace"),
    data: field(written, "data"),
    clone: clone && { name: textField(clone, "name"), namespace: textField(clone, "namespace") },
    cloneList: list && {
      namespace: textField(list, "namespace"),
      kinds: asTexts(list["kinds"]),
      selector: asObject(list["selector"]),
    },
  };
}
