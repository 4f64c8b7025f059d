import { asString, dig, type JsonObject } from "../json/mod.ts";

/** Which object something is about. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for objects in no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** The identity of an object, from its fields. */
export function identityOf(object: JsonObject): ObjectIdentity {
  const text = (...path: string[]): string => asString(dig(object, ...path)) ?? "";
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    namespace: text("metadata", "namespace"),
    name: text("metadata", "name"),
  };
}

/** Whether two objects are the same one. */
export function isSameObject(left: ObjectIdentity, right: ObjectIdentity): boolean {
  return left.apiVersion === right.apiVersion && left.kind === right.kind &&
    left.namespace === right.namespace && left.name === right.name;
}

/** `apiVersion/kind/namespace/name`, as tables show it; of what is no Kubernetes object the name alone. */
export function identityText({ apiVersion, kind, namespace, name }: ObjectIdentity): string {
  if (apiVersion === "" && kind === "") return name;
  return [apiVersion, kind, namespace, name].join("/");
}

/** Whether a name in a test, `name` or `namespace/name`, is the object's. */
export function isNamed({ namespace, name }: ObjectIdentity, text: string): boolean {
  if (text === name) return true;
  const parts = text.split("/");
  return parts.length === 1
    ? text === name
    : parts.length === 2 && parts[0] === namespace && parts[1] === name;
}

/** Whether a resource specification of a test is the object's; one without a kind is about any. */
export function isSpecified(
  { apiVersion, kind, namespace, name }: ObjectIdentity,
  spec: JsonObject,
): boolean {
  const text = (key: string): string => asString(spec[key]) ?? "";
  const version = text("group") === "" ? text("version") : `${text("group")}/${text("version")}`;
  return version === apiVersion && ["", kind].includes(text("kind")) && text("namespace") === namespace &&
    text("name") === name;
}
