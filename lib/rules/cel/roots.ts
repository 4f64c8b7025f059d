import { loadNamespace } from "../../context/mod.ts";
import {
  type Activation,
  admissionRequestType,
  type CelType,
  dynType,
  failure,
  namespaceType,
  objectType,
  type Result,
  type Value,
} from "../../cel/mod.ts";
import { asString, dig, type Fault, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import { nameOf, pluralOf } from "../../kube/mod.ts";
import { authorizerValue } from "./authorizer.ts";
import type { RuleInput } from "../rule_kind.ts";

/** The variables of all admission expressions, with Kubernetes' types. */
export const admissionVariables: Readonly<Record<string, CelType>> = {
  object: dynType,
  oldObject: dynType,
  request: admissionRequestType,
  namespaceObject: namespaceType,
};

/** Kyverno's policies also have the objects below `request`. */
export const kyvernoVariables: Readonly<Record<string, CelType>> = {
  ...admissionVariables,
  request: objectType(
    "kubernetes.AdmissionRequest",
    (name) => name === "object" || name === "oldObject" ? dynType : admissionRequestType.field?.(name),
  ),
};

/**
 * `namespaceObject` of a Namespace: null as in the API server, or the Namespace as it is stored. Kyverno parity: its
 * policies have the stored one, which is absent at its CREATE. Pinned by "ValidatingPolicy: namespaceObject of a
 * Namespace is the stored one".
 */
export type OfNamespace = "null" | "stored";

/**
 * The variables of expressions for a request. An absent object is null, as in the API server: `object` of a DELETE,
 * `oldObject` of a CREATE, `namespaceObject` of an object without a namespace.
 */
export function admissionRoots(
  input: RuleInput,
  more: Activation = () => undefined,
  ofNamespace: OfNamespace = "null",
): Activation {
  let request: JsonObject | undefined;
  return (name) => {
    switch (name) {
      case "object":
        return input.resource ?? null;
      case "oldObject":
        return input.oldResource ?? null;
      case "request":
        return request ??= requestOf(input);
      case "namespaceObject": {
        const namespace = namespaceObject(input, ofNamespace);
        return isFault(namespace) ? failure(namespace.message) : namespace as Value;
      }
      default:
        return either(more(name), () => authorizerValue(name, request ??= requestOf(input)));
    }
  };
}

/** The first value that is present. Null is a value. */
function either(value: Result | undefined, other: () => Result | undefined): Result | undefined {
  return value === undefined ? other() : value;
}

/** The AdmissionRequest without its empty fields, as in its JSON form. */
function requestOf(input: RuleInput): JsonObject {
  const { request, group, version, kind, operation, resource, oldResource } = input;
  const name = asString(request["name"]) ?? nameOf(resource ?? oldResource);
  const namespace = requestNamespace(input);
  const resourceKind = request["kind"] ?? { group, version, kind };
  const resourceType = request["resource"] ?? { group, version, resource: pluralOf(kind) };
  const subResource = asString(request["subResource"]) ?? "";
  return {
    uid: request["uid"] ?? "",
    kind: resourceKind,
    resource: resourceType,
    ...(subResource !== "" && { subResource, requestSubResource: subResource }),
    requestKind: request["requestKind"] ?? resourceKind,
    requestResource: request["requestResource"] ?? resourceType,
    ...(name !== "" && { name }),
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo: request["userInfo"] ?? {},
    object: resource ?? null,
    oldObject: oldResource ?? null,
    dryRun: request["dryRun"] ?? false,
    options: request["options"] ?? null,
  };
}

/** The namespace of the request; empty for a cluster-wide object. */
export function requestNamespace({ request, resource, oldResource }: RuleInput): string {
  return asString(request["namespace"]) ?? asString(dig(resource ?? oldResource, "metadata", "namespace")) ??
    "";
}

/** The Namespace of the object. */
function namespaceObject(input: RuleInput, ofNamespace: OfNamespace): Json | Fault {
  const name = requestNamespace(input);
  if (name === "") return null;
  // Kyverno parity: its policies see the Namespaces of the values. Pinned by "namespaceObject without a cluster is the
  // Namespace of the values, or null".
  if (ofNamespace === "stored" && input.namespaceObject !== undefined) return input.namespaceObject;
  if (input.kind === "Namespace" && input.group === "") {
    if (ofNamespace === "null") return null;
    const stored = loadNamespace(name, input.context.tracker);
    return isFault(stored) || field(stored, "metadata") !== undefined ? stored : null;
  }
  const labels = input.namespaceLabels;
  if (labels !== undefined) {
    return { metadata: { name, ...(Object.keys(labels).length > 0 && { labels }) } };
  }
  const found = loadNamespace(name, input.context.tracker);
  if (isFault(found)) return found;
  return field(found, "metadata") === undefined ? { metadata: { name } } : found;
}
