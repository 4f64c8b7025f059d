import { equal, isObject, type Json, type JsonObject } from "../json/mod.ts";

/** The API server's defaults of fields that Postern leaves out, by the field's name. */
const defaults: Readonly<Record<string, Json>> = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  port: 443,
  reinvocationPolicy: "Never",
  scope: "*",
  timeoutSeconds: 10,
};

/**
 * Whether a stored object is as wanted. Its metadata may have more fields; of the others only defaults, so that what
 * was removed from a policy goes from the objects that are made of it.
 */
export function holds(present: Json | undefined, wanted: JsonObject): boolean {
  return isObject(present) &&
    Object.entries(wanted).every(([name, value]) =>
      name === "metadata"
        ? includes(present[name], value, () => true)
        : includes(present[name], value, isDefault)
    );
}

/** Whether the wanted fields of two versions of an object are equal, besides its metadata. */
export function areAlike(one: Json, other: Json, wanted: JsonObject): boolean {
  return isObject(one) && isObject(other) &&
    Object.keys(wanted).every((name) => name === "metadata" || equal(one[name] ?? null, other[name] ?? null));
}

/** Whether a value has the wanted one: lists must be equal, objects may have further fields of some kind. */
function includes(
  present: Json | undefined,
  wanted: Json,
  mayBeMore: (name: string, value: Json) => boolean,
): boolean {
  if (isObject(wanted)) {
    return isObject(present) &&
      Object.entries(wanted).every(([name, value]) => includes(present[name], value, mayBeMore)) &&
      Object.entries(present).every(([name, value]) => Object.hasOwn(wanted, name) || mayBeMore(name, value));
  }
  if (Array.isArray(wanted)) {
    // The API server leaves out an empty list.
    if (wanted.length === 0 && present === undefined) return true;
    return Array.isArray(present) && present.length === wanted.length &&
      wanted.every((value, index) => includes(present[index], value, mayBeMore));
  }
  return present !== undefined && equal(present, wanted);
}

/** Whether a field that is not wanted says nothing, or is the work of others: cert-manager writes `caBundle`. */
function isDefault(name: string, value: Json): boolean {
  if (name === "caBundle" || value === null || value === "") return true;
  if (isObject(value)) return Object.keys(value).length === 0;
  if (Array.isArray(value)) return value.length === 0;
  return Object.hasOwn(defaults, name) && equal(defaults[name]!, value);
}
