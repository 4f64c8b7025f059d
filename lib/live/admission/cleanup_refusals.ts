import {
  asList,
  asObject,
  asTexts,
  documentPathText,
  equal,
  field,
  isGiven,
  isList,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import { nameOf } from "../../kube/mod.ts";
import { type WrittenFilter, writtenFilters } from "../../policy/mod.ts";

/** The most characters of a policy's name: labels hold it. */
const longestName = 63;

/**
 * The parts of a CleanupPolicy or ClusterCleanupPolicy for which Kyverno's webhook refuses to store it, though they can
 * be read. Kyverno parity: pinned by "policy review of a cleanup".
 */
export function cleanupRefusals(object: JsonObject): string[] {
  const spec = asObject(object["spec"]) ?? {};
  const filters = (["match", "exclude"] as const).flatMap((side) => writtenFilters(spec, side));
  return [
    ...(nameOf(object).length > longestName
      ? [`metadata.name: Too long: may not be more than ${longestName} bytes`]
      : []),
    ...asList(spec["context"]).flatMap(inContext),
    ...(isList(spec["conditions"] ?? null)
      ? ["spec.conditions: a cleanup policy lists its conditions under any or all"]
      : []),
    ...["match", "exclude"].filter((side) => hasBoth(spec[side])).map((side) =>
      `spec.${side}: Can't specify any and all together`
    ),
    ...filters.flatMap(inFilter),
    ...(isEmptySet(spec) ? ["spec: CleanupPolicy is matching an empty set"] : []),
  ];
}

function inContext(entry: Json, index: number): string[] {
  const forbidden = [["imageRegistry", "ImageRegistry"], ["configMap", "ConfigMap"]] as const;
  const found = forbidden.find(([name]) => isGiven(field(entry, name)));
  return found === undefined ? [] : [`spec.context[${index}]: ${found[1]} is not allowed in CleanUp Policy`];
}

function hasBoth(block: Json | undefined): boolean {
  return filtersOf(block, "any").length > 0 && filtersOf(block, "all").length > 0;
}

function filtersOf(block: Json | undefined, form: "any" | "all"): readonly Json[] {
  return asList(field(block, form));
}

function inFilter({ filter, path }: WrittenFilter): string[] {
  const resources = field(filter, "resources"), at = documentPathText(["spec", ...path]);
  const selector = field(resources, "selector") ?? null;
  const isEmpty = isObject(selector) && asList(selector["matchExpressions"]).length === 0 &&
    Object.keys(asObject(selector["matchLabels"]) ?? {}).length === 0;
  const isNamedTwice = textField(resources, "name") !== "" &&
    asTexts(field(resources, "names")).length > 0;
  return [
    ...(isNamedTwice ? [`${at}: Both name and names can not be specified together`] : []),
    ...(isEmpty ? [`${at}.selector: The requirements are not specified in selector`] : []),
  ];
}

/** Whether `exclude` takes away what a filter of `match` selects, or excludes nothing in particular. */
function isEmptySet({ match, exclude }: JsonObject): boolean {
  if (!isObject(exclude ?? null) || filtersOf(match, "all").length > 0) return false;
  if (filtersOf(exclude, "all").length > 0) return false;
  const selected = filtersOf(match, "any"), excluded = filtersOf(exclude, "any");
  if (selected.length === 0 || excluded.length === 0) return isGiven(field(exclude, "any"));
  return selected.some((each) => excluded.some((other) => equal(each, other)));
}
