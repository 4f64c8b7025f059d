import {
  asList,
  asObject,
  equal,
  field,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJsonText,
} from "../json/mod.ts";
import { parseYaml } from "../yaml/mod.ts";

/**
 * A policy with the JSON patches of its rules as texts of JSON instead of YAML, so that a bundle need not read YAML.
 * Texts whose meaning as YAML depends on the request stay.
 */
export function withJsonPatches(document: Json): Json {
  const spec = asObject(field(document, "spec"));
  const rules = spec?.["rules"];
  if (!isObject(document) || spec === undefined || !isList(rules)) return document;
  const written = rules.map((rule) => {
    const mutate = isObject(rule) ? asObject(rule["mutate"]) : undefined;
    return mutate === undefined ? rule : { ...rule as JsonObject, mutate: withJsonPatch(mutate) };
  });
  return { ...document, spec: { ...spec, rules: written } };
}

/** Whether a policy has a JSON patch that can only be read as YAML. */
export function hasYamlPatches(document: Json): boolean {
  return asList(field(asObject(field(document, "spec")), "rules")).some((rule) => {
    const mutate = asObject(field(rule, "mutate"));
    return mutate !== undefined && hasYamlPatch(mutate);
  });
}

/** The block of a patch and of the loops in it; loops are as deep as the loader accepts. */
function withJsonPatch(block: JsonObject): JsonObject {
  const { patchesJson6902: patch, foreach: loops } = block;
  return {
    ...block,
    ...(typeof patch === "string" && { patchesJson6902: jsonText(patch) }),
    ...(isList(loops) && { foreach: loops.map((loop) => isObject(loop) ? withJsonPatch(loop) : loop) }),
  };
}

function hasYamlPatch({ patchesJson6902: patch, foreach: loops }: JsonObject): boolean {
  return (typeof patch === "string" && patch !== "" && !patch.startsWith("[")) ||
    asList(loops).some((loop) => isObject(loop) && hasYamlPatch(loop));
}

/** A variable that is a whole number wherever it has a value. */
const index = /\{\{\s*elementIndex\d*\s*\}\}/g;

/** Digits that stand for an index while the text around it is parsed. */
const digits = "70770077";

/**
 * The text as JSON, if that says the same for every request. Text that starts with a bracket is read as JSON anyway.
 * Other variables than an index may bring what is more than text to YAML.
 */
function jsonText(text: string): string {
  const indexes = text.match(index) ?? [];
  const plain = text.replace(index, digits);
  if (text.startsWith("[") || text.includes(digits) || /\{\{|\$\(/.test(plain)) return text;
  const patch = parseYaml(plain);
  if (isFault(patch) || !isList(patch)) return text;
  const written = JSON.stringify(patch);
  const parts = written.split(digits);
  if (!equal(parseJsonText(written), patch) || parts.length !== indexes.length + 1) return text;
  return parts.map((part, at) => part + (indexes[at] ?? "")).join("");
}
