import { isList, isObject, isString, type Json, type JsonObject } from "../json/mod.ts";

/** The type of a field of an AdmissionReview; a map of names for the types that have fields themselves. */
type FieldType = keyof typeof checks | Fields;
type Fields = ReadonlyMap<string, FieldType>;

const checks = {
  "a text": isString,
  "a boolean": (value: Json) => typeof value === "boolean",
  "a list of texts": areTexts,
  // Go writes an empty list as null, and an authenticator may give one.
  "a map of lists of texts": (value: Json) =>
    isObject(value) && Object.values(value).every((each) => each === null || areTexts(each)),
  "any value": () => true,
} as const;

const kindFields = fieldsOf({ group: "a text", version: "a text", kind: "a text" });
const resourceFields = fieldsOf({ group: "a text", version: "a text", resource: "a text" });

const requestFields = fieldsOf({
  uid: "a text",
  kind: kindFields,
  resource: resourceFields,
  subResource: "a text",
  requestKind: kindFields,
  requestResource: resourceFields,
  requestSubResource: "a text",
  name: "a text",
  namespace: "a text",
  operation: "a text",
  userInfo: fieldsOf({
    username: "a text",
    uid: "a text",
    groups: "a list of texts",
    extra: "a map of lists of texts",
  }),
  // `parseReview` reads them: they deny a request that could be read.
  object: "any value",
  oldObject: "any value",
  dryRun: "a boolean",
  options: "any value",
});

const reviewFields = fieldsOf({ apiVersion: "a text", kind: "a text", request: requestFields });

function fieldsOf(types: Readonly<Record<string, FieldType>>): Fields {
  return new Map(Object.entries(types));
}

/**
 * Returns why an AdmissionReview cannot be read; `undefined` when all its fields have their types. Kubernetes reads
 * null as an absent field, and ignores fields that it does not know.
 *
 * Readers in Go take `Object` for `object`. The API server never sends it, so such a name is refused: one who reads it
 * and one who ignores it would decide about different objects.
 *
 * ```ts
 * import { fieldProblem } from "./review_fields.ts";
 * import assert from "node:assert/strict";
 * assert.equal(fieldProblem({ request: { uid: 7 } }), "request.uid must be a text");
 * assert.equal(fieldProblem({ request: { Object: {} } }), 'request.Object must be written "object"');
 * ```
 */
export function fieldProblem(review: JsonObject): string | undefined {
  return problemIn(review, reviewFields, "");
}

function problemIn(value: JsonObject, fields: Fields, path: string): string | undefined {
  for (const name in value) { // Only the object's keys: inherited properties are not enumerable.
    const type = fields.get(name), each = value[name]!;
    if (type === undefined) {
      const correct = correctName(name, fields);
      if (correct !== undefined) return `${path}${name} must be written "${correct}"`;
    } else if (each !== null) {
      const problem = typeof type === "string"
        ? checks[type](each) ? undefined : `${path}${name} must be ${type}`
        : isObject(each)
        ? problemIn(each, type, `${path}${name}.`)
        : `${path}${name} must be an object`;
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** The name of a field that differs from this one in the case of letters alone. */
function correctName(name: string, fields: Fields): string | undefined {
  // Longer than any field: no text of a caller is folded at length.
  if (name.length > 40) return undefined;
  const folded = fold(name);
  return [...fields.keys()].find((field) => fold(field) === folded);
}

/** In both directions, because U+017F is an S in upper case alone, and U+212A a k in lower case alone. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}

function areTexts(value: Json): boolean {
  return isList(value) && value.every(isString);
}
