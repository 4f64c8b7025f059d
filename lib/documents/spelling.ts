import { type Diagnostic, type Locate, withPosition } from "../diagnostics/mod.ts";
import { field, isList, isObject, type Json, type JsonObject, setField } from "../json/mod.ts";
import { kindOfPlural } from "./kind_spelling.ts";
import { misspeltKinds } from "./misspelt_kinds.ts";

/**
 * Converts older spellings of a policy's spec to the current ones: `clusterroles`, scalars for lists, resource fields
 * directly under `match`, one rule without its list, and `mutate.overlay`.
 */
export function modernSpec(
  spec: JsonObject,
  locate: Locate,
): { spec: JsonObject; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const written = spec["rules"];
  const rules = isObject(written) ? [written] : isList(written) ? written : [];
  const modern = rules.map((rule, index) =>
    isObject(rule) ? modernRule(rule, ["spec", "rules", index]) : rule
  );
  return { spec: { ...spec, rules: modern }, diagnostics };

  function modernRule(rule: JsonObject, path: (string | number)[]): JsonObject {
    const changed: Record<string, Json> = { ...rule };
    for (const block of ["match", "exclude"]) {
      const value = rule[block];
      if (!isObject(value)) continue;
      changed[block] = modernMatch(value);
      diagnostics.push(...misspeltKinds(value, [...path, block], locate));
    }
    const mutate = rule["mutate"];
    if (isObject(mutate) && Object.hasOwn(mutate, "overlay")) {
      const { overlay, ...rest } = mutate;
      changed["mutate"] = { patchStrategicMerge: overlay!, ...rest };
      diagnostics.push(withPosition({
        severity: "warning",
        code: "deprecated-field",
        message: 'Field "mutate.overlay" is deprecated',
        hint: 'write "patchStrategicMerge", which it is read as',
        path: [...path, "mutate", "overlay"],
      }, locate));
    }
    return changed;
  }
}

const resourceFields = [
  "kinds",
  "name",
  "names",
  "namespaces",
  "annotations",
  "selector",
  "namespaceSelector",
  "operations",
];

/** A match or exclude block, or one filter of it, in the current form. */
export function modernMatch(block: JsonObject): JsonObject {
  const changed: Record<string, Json> = {};
  const resources: Record<string, Json> = {};
  for (const [name, value] of Object.entries(block)) {
    if ((name === "any" || name === "all") && isList(value)) {
      changed[name] = value.map((filter) => isObject(filter) ? modernMatch(filter) : filter);
    } else if (name === "clusterroles" || name === "clusterRoles") changed["clusterRoles"] = listOf(value);
    else if (name === "roles") changed["roles"] = listOf(value);
    else if (resourceFields.includes(name)) resources[name] = value;
    else setField(changed, name, value);
  }
  const nested = field(block, "resources");
  const merged: Record<string, Json> = { ...(isObject(nested) ? nested : {}), ...resources };
  for (const name of ["kinds", "names", "namespaces", "operations"]) {
    if (merged[name] !== undefined && merged[name] !== null) merged[name] = listOf(merged[name]);
  }
  if (merged["kinds"] !== undefined && isList(merged["kinds"])) {
    merged["kinds"] = merged["kinds"].flatMap(splitKinds);
  }
  if (Object.keys(merged).length > 0) changed["resources"] = merged;
  return changed;
}

/** `"Deployment,StatefulSet"` in one string means both kinds, `Pods` means Pod. */
function splitKinds(kind: Json): Json[] {
  if (typeof kind !== "string") return [kind];
  const parts = kind.includes(",") ? kind.split(",").map((part) => part.trim()) : [kind];
  return parts.filter((part) => part !== "").map((part) => kindOfPlural(part) ?? part);
}

function listOf(value: Json): Json {
  return isList(value) || value === null ? value : [value];
}
