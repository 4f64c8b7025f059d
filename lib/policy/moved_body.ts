import { asList, asObject, isGiven, isObject, isString, type Json, type JsonObject } from "../json/mod.ts";

/** The rule with its body moved below `spec.<key>`; `undefined` when its kind cannot be carried over. */
export function movedBody(rule: JsonObject, key: string): JsonObject | undefined {
  const wrap = (pattern: Json): Json => ({ spec: { [key]: pattern } });
  const mutate = asObject(rule["mutate"]);
  if (mutate !== undefined) {
    const body = wrapMutate(mutate, wrap);
    return body === undefined ? undefined : without({ ...rule, mutate: body }, ["validate", "verifyImages"]);
  }
  const validate = asObject(rule["validate"]);
  if (validate !== undefined) {
    const body = wrapValidate(validate, wrap, key);
    return body === undefined ? undefined : without({ ...rule, validate: body }, ["verifyImages"]);
  }
  return rule["verifyImages"] === undefined ? undefined : rule;
}

function wrapMutate(mutate: JsonObject, wrap: (pattern: Json) => Json): JsonObject | undefined {
  const merge = mutate["patchStrategicMerge"];
  if (isGiven(merge)) return { patchStrategicMerge: wrap(merge) };
  const foreach = asList(mutate["foreach"]);
  if (foreach.length === 0) return undefined;
  // Kyverno parity: of a foreach entry only these fields survive; order and nested loops are lost.
  return {
    foreach: foreach.filter(isObject).map((entry) => ({
      ...pick(entry, ["list", "context", "preconditions"]),
      ...(entry["patchStrategicMerge"] !== undefined &&
        { patchStrategicMerge: wrap(entry["patchStrategicMerge"]) }),
    })),
  };
}

function wrapValidate(
  validate: JsonObject,
  wrap: (pattern: Json) => Json,
  key: string,
): JsonObject | undefined {
  const kept = pick(validate, [
    "message",
    "failureAction",
    "failureActionOverrides",
    "allowExistingViolations",
  ]);
  const message = kept["message"];
  const shifted = isString(message) ? { ...kept, message: shiftReferences(message, key) } : kept;
  const pattern = validate["pattern"];
  if (isGiven(pattern)) return { ...shifted, pattern: wrap(pattern) };
  for (const name of ["deny", "podSecurity"]) {
    if (isObject(validate[name])) return { ...shifted, [name]: validate[name] };
  }
  const alternatives = asList(validate["anyPattern"]);
  if (alternatives.length > 0) return { ...shifted, anyPattern: alternatives.map(wrap) };
  for (const name of ["foreach", "cel"]) {
    const written = validate[name];
    if (isGiven(written)) return { ...shifted, [name]: written };
  }
  const tree = asObject(validate["assert"]);
  return tree === undefined ? undefined : { ...shifted, assert: wrapAssertion(tree, wrap) };
}

function wrapAssertion(tree: JsonObject, wrap: (pattern: Json) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) =>
      [name, name === "object" || name === "oldObject" ? wrap(value) : value] as const
    ),
  );
}

/** References into the pattern, written in a message, follow the pattern to its new place. */
function shiftReferences(message: string, key: string): string {
  return message.replace(
    /\$\(([^)\s]*?)(anyPattern\/\d+|pattern)\//g,
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
