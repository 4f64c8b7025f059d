import {
  asObject,
  asString,
  dig,
  Fault,
  isObject,
  type Json,
  type JsonObject,
  setField,
} from "../../json/mod.ts";
import { builtinKind, namespaceOf, uidOf } from "../../kube/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import { cloneSourceLabel } from "../owner_labels.ts";

/** The items of a list, or the object itself. */
export function opened(object: JsonObject): readonly JsonObject[] {
  const items = object["items"];
  return Array.isArray(items) && (asString(object["kind"]) ?? "").endsWith("List")
    ? items.filter(isObject)
    : [object];
}

/** The fields of metadata that the API server gave the source, and that a copy must not have. */
const given = ["uid", "managedFields", "resourceVersion", "creationTimestamp", "selfLink"];

/**
 * A generated object as the cluster gets it: in the namespace, without what only the source has; a fault across scopes.
 */
export function inNamespace(object: JsonObject, namespace: string, policy: Policy): JsonObject | Fault {
  const kind = asString(object["kind"]) ?? "", apiVersion = asString(object["apiVersion"]) ?? "";
  const namespaced = (builtinKind(kind, apiVersion) ?? builtinKind(kind))?.namespaced ?? true;
  if (!namespaced && namespace !== "" && policy.namespace !== undefined) {
    return new Fault(
      `cross-scope generation denied: a policy scoped to namespace "${namespace}" cannot generate cluster-scoped resource ${apiVersion}/${kind}`,
    );
  }
  const target = namespaced ? namespace : "";
  const source = namespaceOf(object);
  const metadata: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(asObject(object["metadata"]) ?? {})) {
    if (given.includes(name) || name === "namespace") continue;
    // A reference to an owner in another namespace would delete the copy.
    if (name === "ownerReferences" && source !== "" && source !== target) continue;
    setField(metadata, name, value);
  }
  if (target !== "") metadata["namespace"] = target;
  return { ...object, metadata };
}

/**
 * Whether a generated object is a copy of a stored one, which the copy then follows. A copy of the trigger follows the
 * trigger.
 */
export function isCopy(object: JsonObject, trigger: JsonObject): boolean {
  const uid = uidOf(object);
  return uid !== "" && uid !== uidOf(trigger) && dig(object, "metadata", "resourceVersion") !== undefined;
}

/** Whether a source has the label by which changes of it are followed. */
export function isMarked(source: JsonObject): boolean {
  return dig(source, "metadata", "labels", cloneSourceLabel) === "";
}
