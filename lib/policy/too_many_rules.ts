import {
  asList,
  asObject,
  asTexts,
  field,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { bodySections } from "./bodies/mod.ts";
import { isTooHeavy } from "./policy_weight.ts";

/** Rules of one policy. The API server stores no policy with more than some ten thousand, however small they are. */
export const maxRules = 2_000;

/**
 * The rules that stand for those of a policy that has too many, or that is too heavy: such a policy is broken, and only
 * what its rules match and what they do decides which requests its failurePolicy answers. Rules that match the same are
 * one. When more than {@link maxRules} are left, or when they are too heavy, one stands for all of them, by their kinds: it
 * may match more, and none less.
 */
export function representativeRules(rules: readonly Json[]): JsonObject[] {
  // To compare them takes long, too.
  if (isTooHeavy(rules)) return byKinds(rules.filter(isObject));
  const distinct = new Map<string, JsonObject>();
  for (const rule of rules) {
    if (!isObject(rule)) continue;
    const key = JSON.stringify([rule["match"] ?? null, rule["exclude"] ?? null, ...doingOf(rule)]);
    if (!distinct.has(key)) distinct.set(key, rule);
  }
  const found = [...distinct.values()];
  return found.length <= maxRules ? found : byKinds(found);
}

/** One rule for each thing that rules do, which matches all kinds that any of these rules does. */
function byKinds(rules: readonly JsonObject[]): JsonObject[] {
  const doing = new Map<string, { readonly rule: JsonObject; readonly kinds: Set<string> }>();
  for (const rule of rules) {
    const key = JSON.stringify(doingOf(rule));
    const found = doing.get(key) ?? { rule, kinds: new Set() };
    doing.set(key, found);
    for (const kind of kindsOf(rule["match"])) found.kinds.add(kind);
  }
  return [...doing.values()].map(({ rule, kinds }, index) => {
    const few = kinds.size <= maxRules && !isTooHeavy([...kinds]) ? [...kinds] : ["*"];
    return { name: `rule-${index}`, match: { any: [{ resources: { kinds: few } }] }, ...emptied(rule) };
  });
}

/** The sections of a rule with what says in which phases it runs, and without what makes it heavy. */
function emptied(rule: JsonObject): JsonObject {
  const sections = bodySections.filter((section) => Object.hasOwn(rule, section));
  return Object.fromEntries(sections.map((section): [string, Json] => {
    const body = rule[section]!;
    if (!isObject(body)) return [section, lightened(isList(body) ? body.slice(0, 1) : body)];
    const fields = Object.entries(body).slice(0, fewFields);
    return [section, Object.fromEntries(fields.map(([name, value]) => [name, lightened(value)]))];
  }));
}

/** A value, or an empty one of its type when it is too heavy. */
function lightened(value: Json): Json {
  if (!isTooHeavy(value)) return value;
  return isList(value) ? [] : isObject(value) ? {} : "";
}

/** A section has no more fields that mean something. */
const fewFields = 32;

/** The kinds of a match; any kind where a filter names none. */
function kindsOf(match: Json | undefined): readonly string[] {
  const filters = [match ?? {}, ...asList(field(match, "any")), ...asList(field(match, "all"))]
    .filter((filter) => asObject(field(filter, "resources")) !== undefined || selectsUsers(filter));
  const kinds = filters.map((filter) => asTexts(field(field(filter, "resources"), "kinds")));
  return kinds.length === 0 || kinds.some((each) => each.length === 0) ? ["*"] : kinds.flat();
}

/** Whether a filter is about the user alone. */
function selectsUsers(filter: Json): boolean {
  return ["subjects", "roles", "clusterRoles"].some((name) => field(filter, name) !== undefined);
}

/** The sections of a rule with the names of their fields. They decide in which phases the rule runs. */
function doingOf(rule: JsonObject): Json[] {
  return bodySections.filter((section) => Object.hasOwn(rule, section))
    .map((section) => [section, ...Object.keys(asObject(rule[section]) ?? {}).sort()]);
}
