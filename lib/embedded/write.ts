import {
  asList,
  asObject,
  asString,
  dig,
  field,
  isFault,
  isObject,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import { formatApiVersion, formatTimestamp } from "../kube/mod.ts";
import type { Clock } from "../ports.ts";
import { nameSuffix, uuidFrom } from "../entropy.ts";
import { applied } from "./apply.ts";
import { commit, type Patch, withFixedParts, withStatus, type WriteRequest, type Writing } from "./commit.ts";
import { completed } from "./defaults.ts";
import { ownableFields, type Ownership, tracked, withOwnerships } from "./managed_fields.ts";
import { mergePatched } from "./merge.ts";
import { countsGenerations, nameProblem, typeName, typeProblem } from "./object_rules.ts";
import { namespacedNameOf, shown } from "./read.ts";
import {
  alreadyExists,
  badPatch,
  badRequest,
  conflict,
  invalid,
  isReply,
  notFound,
  type Reply,
  unsupportedMediaType,
} from "./reply.ts";

const modifiedMeanwhile =
  "the object has been modified; please apply your changes to the latest version and try again";
const otherNamespace =
  "the namespace of the provided object does not match the namespace sent on the request";
const applyType = "application/apply-patch+yaml";

/** Notes the managers of an object's fields in the object. */
type Owning = (object: JsonObject) => JsonObject;

/** POST: creates an object. */
export function createObject(writing: Writing, request: WriteRequest, owning?: Owning): Reply {
  const { kind, namespace, body } = request;
  const problem = typeProblem(kind, body);
  if (problem !== undefined || !isObject(body)) return badRequest(problem ?? "not an object");
  const metadata = asObject(field(body, "metadata")) ?? {};
  const inBody = namespacedNameOf(body);
  if (inBody.namespace !== "" && inBody.namespace !== namespace) return badRequest(otherNamespace);
  if (namespace !== "" && writing.store.get(writing.kinds.namespaces, "", namespace) === undefined) {
    return notFound(writing.kinds.namespaces, namespace);
  }
  const prefix = textField(metadata, "generateName");
  const name = inBody.name === "" && prefix !== "" ? `${prefix}${nameSuffix(writing.entropy)}` : inBody.name;
  const cause = nameProblem(kind, name);
  if (cause !== undefined) return invalid({ type: typeName(kind), group: kind.group, name }, [cause]);
  if (textField(metadata, "resourceVersion") !== "") {
    return badRequest("resourceVersion should not be set on objects to be created");
  }
  if (writing.store.get(kind, namespace, name) !== undefined) return alreadyExists(kind, name);
  const object = fresh(writing, request, { body, name });
  const owned = owning ?? ((made) => tracked(undefined, made, updaterOf(writing, request)));
  return commit(writing, request, { status: 201, before: undefined, after: owned(object) });
}

/** Returns the object with the fields that the API server sets when it creates one. */
function fresh(
  writing: Writing,
  { kind, namespace }: WriteRequest,
  { body, name }: { readonly body: JsonObject; readonly name: string },
): JsonObject {
  const { deletionTimestamp: _gone, ...metadata } = asObject(field(body, "metadata")) ?? {};
  // Where the status is a subresource, a new object has none.
  const content = kind.subresources.includes("status") ? withStatus(body, undefined) : body;
  return completed({
    ...content,
    apiVersion: formatApiVersion(kind),
    kind: kind.kind,
    metadata: {
      ...metadata,
      name,
      ...(namespace === "" ? {} : { namespace }),
      uid: uuidFrom(writing.entropy),
      creationTimestamp: timestamp(writing.clock),
      ...(countsGenerations(kind, body) ? { generation: 1 } : {}),
    },
  });
}

/** PUT: replaces an object. */
export function updateObject(writing: Writing, request: WriteRequest): Reply {
  const { kind, namespace, name, body, subresource } = request;
  const problem = typeProblem(kind, body);
  if (problem !== undefined || !isObject(body)) return badRequest(problem ?? "not an object");
  const inBody = namespacedNameOf(body);
  if (inBody.name === "") {
    return badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  const live = writing.store.get(kind, namespace, name);
  if (live === undefined) {
    // Kubernetes parity: a PUT to a free name creates RBAC objects, but no other kinds.
    const makes = kind.group === "rbac.authorization.k8s.io" && inBody.name === name && subresource === "";
    return makes ? createObject(writing, request) : notFound(kind, name);
  }
  const version = asString(dig(body, "metadata", "resourceVersion")) ?? "";
  if (version === "" && !kind.builtin) {
    return invalid({ type: typeName(kind), group: kind.group, name }, [{
      reason: "FieldValueInvalid",
      message: "Invalid value: 0: must be specified for an update",
      field: "metadata.resourceVersion",
    }]);
  }
  return replaced(writing, request, { live, next: body });
}

/** PATCH: merge patch, apply, and the given patch types. */
export function patchObject(writing: Writing, request: WriteRequest): Reply {
  const type = request.contentType.split(";")[0]!.trim();
  if (type === applyType) return applyObject(writing, request);
  const patch = patchOf(writing, type);
  if (patch === undefined) return unsupportedMediaType();
  const { kind, namespace, name, body } = request;
  const live = writing.store.get(kind, namespace, name);
  if (live === undefined) return notFound(kind, name);
  const patched = patch(shown(kind, live), body);
  if (isFault(patched)) return badPatch(patched.message);
  if (!isObject(patched)) return badPatch("a patched object must be an object");
  return replaced(writing, request, { live, next: patched });
}

function patchOf(writing: Writing, type: string): Patch | undefined {
  if (type === "application/merge-patch+json") return mergePatched;
  return Object.hasOwn(writing.patches, type) ? writing.patches[type] : undefined;
}

function applyObject(writing: Writing, request: WriteRequest): Reply {
  const { kind, namespace, name, body, query } = request;
  const manager = query.get("fieldManager") ?? "";
  if (manager === "") {
    return invalid({ type: "PatchOptions.meta.k8s.io", group: "meta.k8s.io", name: "" }, [{
      reason: "FieldValueRequired",
      message: "Required value: is required for apply patch",
      field: "fieldManager",
    }]);
  }
  const problem = typeProblem(kind, body);
  if (problem !== undefined || !isObject(body)) return badRequest(problem ?? "not an object");
  if (asList(dig(body, "metadata", "managedFields")).length > 0) {
    return badRequest("metadata.managedFields must be nil");
  }
  const by = { manager, apiVersion: formatApiVersion(kind), time: timestamp(writing.clock) };
  const live = writing.store.get(kind, namespace, name);
  if (live === undefined) {
    const ownership: Ownership = { ...by, operation: "Apply", fields: ownableFields(body) };
    const named = { ...body, metadata: { ...asObject(body["metadata"]), name } };
    return createObject(
      writing,
      { ...request, body: named },
      (object) => withOwnerships(object, [ownership]),
    );
  }
  const force = query.get("force") === "true" ? "yes" : "no";
  const next = applied({ live, wanted: body, by, force });
  if (isReply(next)) return next;
  return replaced(writing, request, { live, next, owning: (object) => object });
}

/** Checks and stores a change of an existing object. */
function replaced(
  writing: Writing,
  request: WriteRequest,
  { live, next, owning }: { readonly live: JsonObject; readonly next: JsonObject; readonly owning?: Owning },
): Reply {
  const { kind, name } = request;
  const refusal = mismatch(request, live, next);
  if (refusal !== undefined) return refusal;
  const wanted = next["metadata"], was = live["metadata"];
  const version = textField(wanted, "resourceVersion"),
    uid = textField(wanted, "uid");
  if (version !== "" && version !== field(was, "resourceVersion")) {
    return conflict(kind, name, modifiedMeanwhile);
  }
  if (uid !== "" && uid !== field(was, "uid")) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${field(was, "uid")}`;
    return conflict(kind, name, why);
  }
  const fixed = withFixedParts(live, next, request.subresource === "status" ? "status" : "main");
  // A write to the object does not change a status that is a subresource.
  const separate = request.subresource === "" && kind.subresources.includes("status");
  const merged = separate ? withStatus(fixed, live["status"]) : fixed;
  const after = owning?.(merged) ?? tracked(live, merged, updaterOf(writing, request));
  return commit(writing, request, { status: 200, before: live, after });
}

/** Whether the new object has another name or namespace than the path. */
function mismatch(request: WriteRequest, live: JsonObject, next: JsonObject): Reply | undefined {
  const inBody = namespacedNameOf(next);
  const name = inBody.name === "" ? namespacedNameOf(live).name : inBody.name;
  if (name !== request.name) {
    return badRequest(
      `the name of the object (${name}) does not match the name on the URL (${request.name})`,
    );
  }
  if (inBody.namespace !== "" && inBody.namespace !== request.namespace) return badRequest(otherNamespace);
  const problem = typeProblem(request.kind, shown(request.kind, next));
  return problem === undefined ? undefined : badRequest(problem);
}

/** The present time as the API writes it. */
export function timestamp(clock: Clock): string {
  return formatTimestamp(clock.now());
}

function updaterOf(writing: Writing, { kind, query }: WriteRequest): Omit<Ownership, "fields"> {
  return {
    manager: query.get("fieldManager") || "postern",
    operation: "Update",
    apiVersion: formatApiVersion(kind),
    time: timestamp(writing.clock),
  };
}
