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
import { isTooHeavy, sections, userCriteria } from "../policy/mod.ts";

/**
 * The most rules of one policy. The API server stores no policy with more than some ten thousand, however small they
 * are.
 */
export const maxRules = 2_000;

/**
 * Reduces the rules of a policy that has too many or is too heavy. Such a policy is broken: only the match and the
 * phases of its rules matter, because they decide which requests its failurePolicy answers. Rules with the same match
 * become one. When more than {@link maxRules} are left, or they are too heavy, one rule replaces all of them, by
 * their kinds: it may match more requests, but never fewer.
 */
export function representativeRules(rules: readonly Json[]): JsonObject[] {
  // Comparing heavy rules would take too long.
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

/** One rule for each set of phases, which matches all kinds of the rules in it. */
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

/** The sections of a rule with the fields that decide its phases, and without heavy values. */
function emptied(rule: JsonObject): JsonObject {
  const held = sections.filter((section) => Object.hasOwn(rule, section));
  return Object.fromEntries(held.map((section): [string, Json] => {
    const body = rule[section]!;
    if (!isObject(body)) return [section, lightened(isList(body) ? body.slice(0, 1) : body)];
    const fields = Object.entries(body).slice(0, fewFields);
    return [section, Object.fromEntries(fields.map(([name, value]) => [name, lightened(value)]))];
  }));
}

/** The value, or an empty value of its type when it is too heavy. */
function lightened(value: Json): Json {
  if (!isTooHeavy(value)) return value;
  return isList(value) ? [] : isObject(value) ? {} : "";
}

/** The most fields of a section that are kept: no section has more meaningful ones. */
const fewFields = 32;

/** The kinds of a match; any kind where a filter names none. */
function kindsOf(match: Json | undefined): readonly string[] {
  const filters = [match ?? {}, ...asList(field(match, "any")), ...asList(field(match, "all"))]
    .filter((filter) => asObject(field(filter, "resources")) !== undefined || selectsUsers(filter));
  const kinds = filters.map((filter) => asTexts(field(field(filter, "resources"), "kinds")));
  return kinds.length === 0 || kinds.some((each) => each.length === 0) ? ["*"] : kinds.flat();
}

/** Whether a filter selects by the user alone. */
function selectsUsers(filter: Json): boolean {
  return userCriteria.some((name) => field(filter, name) !== undefined);
}

/** The sections of a rule with the names of their fields. They decide in which phases the rule runs. */
function doingOf(rule: JsonObject): Json[] {
  return sections.filter((section) => Object.hasOwn(rule, section))
    .map((section) => [section, ...Object.keys(asObject(rule[section]) ?? {}).sort()]);
}
