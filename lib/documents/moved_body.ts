import { asObject, isString, type Json, type JsonObject } from "../json/mod.ts";
import { kindOf } from "../rules/mod.ts";

/** The rule with its body moved below `spec.<key>`; `undefined` when its kind cannot be moved. */
export function movedBody(rule: JsonObject, key: string): JsonObject | undefined {
  const mutate = asObject(rule["mutate"]);
  if (mutate !== undefined) {
    const body = carriedOver("mutate", mutate, key);
    return body === undefined ? undefined : without({ ...rule, mutate: body }, ["validate", "verifyImages"]);
  }
  const validate = asObject(rule["validate"]);
  if (validate !== undefined) {
    const body = carriedOver("validate", validate, key);
    return body === undefined
      ? undefined
      : without({ ...rule, validate: { ...keptOf(validate, key), ...body } }, ["verifyImages"]);
  }
  return rule["verifyImages"] === undefined ? undefined : rule;
}

function carriedOver(
  section: "mutate" | "validate",
  written: JsonObject,
  key: string,
): JsonObject | undefined {
  const wrap = (pattern: Json): Json => ({ spec: { [key]: pattern } });
  return kindOf(section, written)?.carryOver?.(written, wrap);
}

/** The fields that a moved validating rule keeps. References in its message follow the pattern to its new path. */
function keptOf(validate: JsonObject, key: string): JsonObject {
  const kept = pick(validate, [
    "message",
    "failureAction",
    "failureActionOverrides",
    "allowExistingViolations",
  ]);
  const message = kept["message"];
  return isString(message) ? { ...kept, message: shiftReferences(message, key) } : kept;
}

/** Moves references into the pattern, in a message, to its new path. */
function shiftReferences(message: string, key: string): string {
  return message.replace(
    /\$\(([^)\s$]*?)(anyPattern\/\d+|pattern)\//g,
    (_, before: string, pivot: string) => `$(${before}${pivot}/spec/${key}/`,
  );
}

function pick(value: JsonObject, names: readonly string[]): Record<string, Json> {
  const picked: Record<string, Json> = {};
  for (const name of names) if (Object.hasOwn(value, name)) picked[name] = value[name]!;
  return picked;
}

function without(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
