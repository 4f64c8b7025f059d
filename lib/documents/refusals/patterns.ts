import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  asObject,
  type DocumentPath,
  field,
  isList,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { parseAnchor } from "../../pattern/mod.ts";
import { refusal } from "./refusal.ts";

/** The refused parts of the patterns and merged patches of a rule. */
export function patternRefusals(rule: JsonObject, path: DocumentPath): PathDiagnostic[] {
  return [
    ...patternsOf(rule["validate"], [...path, "validate"]).flatMap(({ value, path }) =>
      anchorRefusals(value, path)
    ),
    ...labelledParts(rule, path).flatMap(({ value, path }) => labelRefusals(value, path)),
  ];
}

/** A pattern or patch. */
interface PatternOrPatch {
  readonly value: Json;
  readonly path: DocumentPath;
}

function patternsOf(validate: Json | undefined, path: DocumentPath): PatternOrPatch[] {
  return [
    { value: field(validate, "pattern") ?? null, path: [...path, "pattern"] },
    ...asList(field(validate, "anyPattern")).map((value, index) => ({
      value,
      path: [...path, "anyPattern", index],
    })),
  ];
}

/** Kyverno parity: anchors in the patterns of loops are not looked at. Pinned by "policy is accepted:". */
function anchorRefusals(pattern: Json, path: DocumentPath): PathDiagnostic[] {
  if (isList(pattern)) return pattern.flatMap((item, index) => anchorRefusals(item, [...path, index]));
  if (!isObject(pattern)) return [];
  return Object.entries(pattern).flatMap(([key, value]) => {
    const below = [...path, key];
    return [...keyRefusals(key, value, below), ...anchorRefusals(value, below)];
  });
}

function keyRefusals(key: string, value: Json, path: DocumentPath): PathDiagnostic[] {
  const anchor = parseAnchor(key);
  if (anchor?.kind === "addition") {
    const hint = `it adds nothing in a pattern: write =(${anchor.key}) for a key that may be absent`;
    return [refusal(path, `unsupported anchor ${key}`, hint)];
  }
  if (anchor?.kind !== "existence" || isList(value) && value.length > 0) return [];
  return [refusal(
    path,
    "existence anchor should have value of type list, with at least one value",
    "write the pattern of an element as a list of one",
  )];
}

/**
 * The patterns and patches whose labels and annotations are compared with texts. Kyverno parity: of a rule's loops,
 * only the first that has one. Pinned by "policy is accepted:".
 */
function labelledParts({ validate, mutate }: JsonObject, path: DocumentPath): PatternOrPatch[] {
  const patch = "patchStrategicMerge";
  return [
    ...(isList(field(validate, "foreach"))
      ? firstLoop(validate, "pattern", [...path, "validate"])
      : patternsOf(validate, [...path, "validate"])),
    ...(isList(field(mutate, "foreach"))
      ? firstLoop(mutate, patch, [...path, "mutate"])
      : [{ value: field(mutate, patch) ?? null, path: [...path, "mutate", patch] }]),
  ];
}

function firstLoop(body: Json | undefined, name: string, path: DocumentPath): PatternOrPatch[] {
  const loops = asList(field(body, "foreach"));
  const index = loops.findIndex((loop) => isObject(field(loop, name) ?? null));
  return index < 0
    ? []
    : [{ value: field(loops[index], name) ?? null, path: [...path, "foreach", index, name] }];
}

/** Labels and annotations that are not strings, of an object and of its pod template. */
function labelRefusals(shape: Json, path: DocumentPath): PathDiagnostic[] {
  const template = ["spec", "template", "metadata"];
  const inTemplate = template.reduce<Json | undefined>((value, name) => field(value, name), shape);
  return [
    { metadata: field(shape, "metadata"), at: ["metadata"] },
    { metadata: inTemplate, at: template },
  ].flatMap(({ metadata, at }) =>
    ["labels", "annotations"].flatMap((name) =>
      Object.entries(asObject(field(metadata, name)) ?? {}).filter(([, value]) => !isString(value)).map((
        [key],
      ) =>
        refusal(
          [...path, ...at, name, key],
          "labels and annotations supports only string values",
          'use double quotes around the non string values; "X(key)": "null" forbids a key',
        )
      )
    )
  );
}
