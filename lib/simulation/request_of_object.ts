import { asString, dig, type Json, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf, parseApiVersion, pluralOf } from "../kube/mod.ts";
import type { Requester } from "../engine/mod.ts";

/** The operation and the user of the request for an object. */
export interface RequestedChange {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly user: Pick<Requester, "username" | "groups"> | undefined;
}

/** The default user: that of a new kind cluster. */
const admin = { username: "kubernetes-admin", groups: ["kubeadm:cluster-admins", "system:authenticated"] };

/**
 * Makes the AdmissionReview that the API server would send for an object. An UPDATE has the object also as
 * `oldObject`, a DELETE only as `oldObject`.
 */
export function reviewOfObject(object: JsonObject, { operation, user = admin }: RequestedChange): JsonObject {
  const apiVersion = asString(object["apiVersion"]) ?? "";
  const kind = asString(object["kind"]) ?? "";
  const { group, version } = parseApiVersion(apiVersion);
  const request: Record<string, Json> = {
    uid: "00000000-0000-4000-8000-000000000000",
    kind: { group, version, kind },
    resource: { group, version, resource: pluralOf(kind) },
    name: nameOf(object) || (asString(dig(object, "metadata", "generateName")) ?? ""),
    operation,
    userInfo: { username: user.username, groups: [...user.groups] },
    object: operation === "DELETE" ? null : object,
    oldObject: operation === "CREATE" ? null : object,
    dryRun: false,
    options: null,
  };
  const namespace = namespaceOf(object);
  if (namespace !== "") request["namespace"] = namespace;
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
}
