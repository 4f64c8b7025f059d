import { isObject, type Json, type JsonObject, textField } from "../json/mod.ts";
import { formatApiVersion, noSubdomain } from "../kube/mod.ts";
import type { ServedKind } from "./kinds.ts";
import type { Cause } from "./reply.ts";

/** Why a request's body is not an object of the kind in its path; `undefined` when it is. */
export function typeProblem(kind: ServedKind, body: Json): string | undefined {
  if (!isObject(body)) return `the object provided is unrecognized (must be of type ${kind.kind})`;
  const name = textField(body, "kind");
  const apiVersion = textField(body, "apiVersion");
  // Built-in kinds may leave out kind and apiVersion: the path names them.
  if (!kind.builtin && (name === "" || apiVersion === "")) {
    const missing = name === "" ? "Kind" : "apiVersion";
    return `the object provided is unrecognized (must be of type ${kind.kind}): Object '${missing}' is missing`;
  }
  if (name !== "" && name !== kind.kind) {
    return `${name} in version "${apiVersion}" cannot be handled as a ${kind.kind}`;
  }
  if (apiVersion !== "" && apiVersion !== formatApiVersion(kind)) {
    return `the API version in the data (${apiVersion}) does not match the expected API version (${
      formatApiVersion(kind)
    })`;
  }
  return undefined;
}

/** Why an object may not have this name; `undefined` when it may. */
export function nameProblem(kind: ServedKind, name: string): Cause | undefined {
  const at = "metadata.name";
  if (name === "") {
    const message = "Required value: name or generateName is required";
    return { reason: "FieldValueRequired", message, field: at };
  }
  // RBAC names may have any characters that are valid in a path.
  const fine = kind.group === "rbac.authorization.k8s.io"
    ? !/[/%]/.test(name) && name !== "." && name !== ".."
    : name.length <= 253 && name.split(".").every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part));
  if (fine) return undefined;
  const message = `Invalid value: ${JSON.stringify(name)}: ${noSubdomain}`;
  return { reason: "FieldValueInvalid", message, field: at };
}

/** The name of a kind in messages about invalid objects: for custom resources, the resource. */
export function typeName(kind: ServedKind): string {
  if (!kind.builtin) return `${kind.plural}.${kind.group}`;
  return kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** Whether objects of this kind define other kinds. */
export function isDefinition(kind: { readonly group: string; readonly kind: string }): boolean {
  return kind.group === "apiextensions.k8s.io" && kind.kind === "CustomResourceDefinition";
}

/** The kinds without `metadata.generation`. */
const withoutGeneration = new Set([
  "/Namespace",
  "/Node",
  "/PersistentVolume",
  "/PersistentVolumeClaim",
  "/Service",
  "/ResourceQuota",
  "/LimitRange",
]);

/** Whether `metadata.generation` counts the changes of an object's specification. */
export function countsGenerations(kind: ServedKind, object: JsonObject): boolean {
  return isObject(object["spec"]) && !withoutGeneration.has(`${kind.group}/${kind.kind}`);
}
