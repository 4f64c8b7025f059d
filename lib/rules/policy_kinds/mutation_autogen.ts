import { asList, asString, dig, field, isObject, type Json, type JsonObject } from "../../json/mod.ts";

/**
 * A mutation of Pods for a controller's template. Kyverno parity: conditions and apply configurations are rewritten
 * as text; of metadata only labels and annotations move; JSON patches and variables are not rewritten. Pinned by "pod
 * autogen of a mutation moves labels, annotations and the spec, and leaves JSON patches alone".
 */
export function rewriteMutation(spec: JsonObject, template: string): JsonObject {
  return {
    ...spec,
    ...(Array.isArray(spec["matchConditions"]) && {
      matchConditions: asList(spec["matchConditions"]).map((condition) =>
        rewritten(condition, ["expression"], template)
      ),
    }),
    mutations: asList(spec["mutations"]).map((mutation) =>
      rewritten(mutation, ["applyConfiguration", "expression"], template)
    ),
  };
}

function rewritten(value: Json, path: readonly string[], template: string): Json {
  const [name, ...rest] = path;
  if (!isObject(value) || name === undefined) return value;
  const text = asString(dig(value, ...path));
  if (text === undefined) return value;
  const inner = rest.length === 0
    ? rewriteExpression(text, template)
    : rewritten(field(value, name)!, rest, template);
  return { ...value, [name]: inner };
}

function rewriteExpression(text: string, template: string): string {
  const moved = text
    .replace(/\b(object|oldObject|Object)\.spec/g, `$1.${template}.spec`)
    .replace(/\b(object|oldObject|Object)\.metadata\.(labels|annotations)/g, `$1.${template}.metadata.$2`);
  return wrapped(moved, template);
}

/** Wraps an expression that begins with `Object{…}`, so that it constructs the controller around the Pod. */
function wrapped(text: string, template: string): string {
  const start = /^\s*Object\s*\{/.exec(text);
  if (start === null) return text;
  let depth = 1;
  for (let index = start[0].length; index < text.length; index++) {
    if (text[index] === "{") depth++;
    else if (text[index] === "}" && --depth === 0) {
      const inside = text.slice(start[0].length, index);
      return inside === "" ? text : around(inside, template) + text.slice(index + 1);
    }
  }
  return text;
}

function around(inside: string, template: string): string {
  const steps = template.split(".");
  let opening = "Object{", name = "Object";
  for (const step of steps) {
    name += `.${step}`;
    opening += `${step}: ${name}{`;
  }
  return `${opening}${inside}${"}".repeat(steps.length + 1)}`;
}
