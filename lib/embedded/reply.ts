import type { Json, JsonObject } from "../json/mod.ts";
import { notServedMessage } from "../kube/mod.ts";
import type { ServedKind } from "./kinds.ts";

/** The answer of the embedded API server: an HTTP status and a body. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** One reason why an object is invalid. */
export interface Cause {
  readonly reason: "FieldValueRequired" | "FieldValueInvalid" | "FieldValueNotSupported";
  readonly message: string;
  readonly field: string;
}

/** The `details` of a Status: the object that the failure is about. */
type Details = { readonly [name: string]: Json };

/** The reply to a successful request. */
export function replyWith(body: Json, status = 200): Reply {
  return { status, body };
}

/** Whether a value is a reply and not an object of the cluster. */
export function isReply(value: JsonObject | Reply): value is Reply {
  return typeof value["status"] === "number" && "body" in value;
}

/** The status codes of Kubernetes' reasons. */
const statuses = {
  AlreadyExists: 409,
  BadRequest: 400,
  Conflict: 409,
  Forbidden: 403,
  Invalid: 422,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  NotFound: 404,
  UnsupportedMediaType: 415,
} as const;

function failure(reason: keyof typeof statuses, message: string, details?: Details): Reply {
  const status = statuses[reason];
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason };
  return { status, body: { ...body, ...(details === undefined ? {} : { details }), code: status } };
}

/** `deployments.apps`, or `pods` in the core group: how the API server names a resource in messages. */
function qualified(kind: ServedKind): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

function about(kind: ServedKind, name: string): Details {
  return { name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural };
}

/** The reply to a deletion without an object to return. */
export function deleted(kind: ServedKind, name: string, uid: Json): Reply {
  const details = { ...about(kind, name), uid };
  return replyWith({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
}

/** The plain-text reply for an unknown path. */
export function noSuchPath(): Reply {
  return { status: 404, body: "404 page not found\n" };
}

/** The reply for an unknown resource of a group and version that is served. */
export function noSuchResource(): Reply {
  return failure("NotFound", notServedMessage, {});
}

/** The reply for an object that does not exist. */
export function notFound(kind: ServedKind, name: string): Reply {
  return failure("NotFound", `${qualified(kind)} "${name}" not found`, about(kind, name));
}

/** The reply for a verb that the resource does not have. */
export function methodNotAllowed(): Reply {
  return failure("MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

/** The reply when a list is to be sent as the metadata of one object. */
export function notAcceptableList(): Reply {
  return failure("NotAcceptable", "you requested PartialObjectMetadata, but the requested object is a list");
}

/** The reply to an invalid request. */
export function badRequest(message: string): Reply {
  return failure("BadRequest", message);
}

/** The reply for an unsupported patch type. */
export function unsupportedMediaType(): Reply {
  return failure("UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** The reply for a patch that cannot be applied. */
export function badPatch(message: string): Reply {
  return failure("Invalid", message, {});
}

/** The reply for a name that is taken. */
export function alreadyExists(kind: ServedKind, name: string): Reply {
  return failure("AlreadyExists", `${qualified(kind)} "${name}" already exists`, about(kind, name));
}

/** The reply for an object that changed since the writer read it. */
export function conflict(kind: ServedKind, name: string, why: string): Reply {
  const message = `Operation cannot be fulfilled on ${qualified(kind)} "${name}": ${why}`;
  return failure("Conflict", message, about(kind, name));
}

/** The reply for fields that an apply would take from other managers; `writer` is the manager in messages. */
export function applyConflict(
  fields: readonly { readonly writer: string; readonly field: string }[],
): Reply {
  const causes: JsonObject[] = fields.map(({ writer, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${writer}`,
    field,
  }));
  const texts = fields.map(({ writer, field }) => `conflict with ${writer}: ${field}`);
  const count = fields.length === 1 ? "1 conflict" : `${fields.length} conflicts`;
  return failure("Conflict", `Apply failed with ${count}: ${texts.join(", ")}`, { causes });
}

/** The reply for a change that no user may make. */
export function forbidden(kind: ServedKind, name: string, why: string): Reply {
  return failure("Forbidden", `${qualified(kind)} "${name}" is forbidden: ${why}`, about(kind, name));
}

/** The reply for an invalid object; `type` is its kind in the message: `ConfigMap`, `widgets.example.com`. */
export function invalid(
  { type, group = "", name }: { readonly type: string; readonly group?: string; readonly name: string },
  causes: readonly Cause[],
): Reply {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const message = `${type} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`;
  return failure("Invalid", message, {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(type.startsWith(".") ? {} : { kind: type.split(".")[0]! }),
    causes: causes.map((cause) => ({ ...cause })),
  });
}
