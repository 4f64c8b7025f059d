import { asString, dig, type JsonObject } from "../json/mod.ts";

/** The identity of an object: its type, namespace and name. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  /** The namespace; empty for cluster-wide objects. */
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

/** Whether two identities are equal. */
export function isSameObject(left: ObjectIdentity, right: ObjectIdentity): boolean {
  return left.apiVersion === right.apiVersion && left.kind === right.kind &&
    left.namespace === right.namespace && left.name === right.name;
}

/** `apiVersion/kind/namespace/name`, as in tables; the name alone for JSON that is no Kubernetes object. */
export function identityText({ apiVersion, kind, namespace, name }: ObjectIdentity): string {
  if (apiVersion === "" && kind === "") return name;
  return [apiVersion, kind, namespace, name].join("/");
}

/** Whether a name in a test, `name` or `namespace/name`, names the object. */
export function isNamed({ namespace, name }: ObjectIdentity, text: string): boolean {
  return text === name || text === `${namespace}/${name}`;
}

/** Whether a resource specification of a test names the object. A specification without a kind matches any kind. */
export function isSpecified(
  { apiVersion, kind, namespace, name }: ObjectIdentity,
  spec: JsonObject,
): boolean {
  const text = (key: string): string => asString(spec[key]) ?? "";
  const version = text("group") === "" ? text("version") : `${text("group")}/${text("version")}`;
  return version === apiVersion && ["", kind].includes(text("kind")) && text("namespace") === namespace &&
    text("name") === name;
}
