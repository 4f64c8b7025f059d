import {
  asObject,
  asString,
  asTexts,
  dig,
  field,
  isGiven,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import type { GroupVersionKind } from "./group_version_kind.ts";
import { fieldProblem } from "./review_fields.ts";

/** The operation of an admission request. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The operations of admission requests. */
export const admissionOperations: readonly Operation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** A resource with the plural of the Kubernetes API instead of a kind. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The user of the request. */
export interface UserInfo {
  readonly username: string;
  readonly groups: readonly string[];
}

/**
 * The request of an AdmissionReview v1, parsed strictly: the fields that a decision reads, and the whole request as
 * JSON. Absent texts are `""`, absent objects `null`.
 */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource: string;
  readonly name: string;
  readonly namespace: string;
  readonly operation: Operation;
  readonly userInfo: UserInfo;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly dryRun: boolean;
  /** The request as received: the value of the variable `request`. */
  readonly json: JsonObject;
}

/** An AdmissionReview with a request. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

/** A review, or the reason why the body is not a review. */
export type ParsedReview =
  | { readonly ok: true; readonly review: AdmissionReview }
  | {
    readonly ok: false;
    readonly message: string;
    /** Empty if it cannot be read. */
    readonly uid: string;
    /** Whether the request itself can be read, so that it is denied, whatever the failurePolicy says. */
    readonly denied?: true;
  };

const reviewVersion = "admission.k8s.io/v1";

/**
 * The field with the object that the request is about, which the API server always sends. A review without it is
 * refused: no policy would be about it, and it would be allowed.
 */
const reviewedObjects: Readonly<Partial<Record<Operation, "object" | "oldObject">>> = {
  CREATE: "object",
  UPDATE: "object",
  DELETE: "oldObject",
};

/**
 * Parses the body of an admission request. It never throws; for an invalid body the result has an error message.
 *
 * ```ts
 * import { parseReview } from "./admission_review.ts";
 * import assert from "node:assert/strict";
 * const parsed = parseReview({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
 * assert.deepEqual(parsed, { ok: false, message: "AdmissionReview request is nil", uid: "" });
 * ```
 */
export function parseReview(body: Json): ParsedReview {
  const request = asObject(field(body, "request"));
  const refuse = (message: string): ParsedReview => ({ ok: false, message, uid: textField(request, "uid") });
  if (!isObject(body)) return refuse("the body must be an AdmissionReview object");
  if (field(body, "kind") !== "AdmissionReview") {
    return refuse(`kind must be AdmissionReview, not ${shown(field(body, "kind"))}`);
  }
  if (field(body, "apiVersion") !== reviewVersion) {
    return refuse(`apiVersion must be ${reviewVersion}, not ${shown(field(body, "apiVersion"))}`);
  }
  if (request === undefined) return refuse("AdmissionReview request is nil");
  const problem = fieldProblem(body);
  if (problem !== undefined) return refuse(problem);
  const uid = textField(request, "uid");
  if (uid === "") return refuse("request.uid is missing");
  const written = field(request, "operation");
  const operation = admissionOperations.find((each) => each === written);
  if (operation === undefined) {
    return refuse(
      `request.operation must be one of ${admissionOperations.join(", ")}, not ${shown(written)}`,
    );
  }
  const kind = asType(field(request, "kind"));
  if (kind.kind === "") return refuse("request.kind is missing");
  const resource = asResource(field(request, "resource"));
  if (resource.resource === "") return refuse("request.resource is missing");
  const unusable = unusableName(request);
  if (unusable !== undefined) return refuse(unusable);
  const reviewed = reviewedObjects[operation];
  if (reviewed !== undefined && !isGiven(field(request, reviewed))) {
    return refuse(`request.${reviewed} is missing: a request for ${operation} has one`);
  }
  const odd = oddObject(request);
  if (odd !== undefined) return { ok: false, message: odd, uid, denied: true };
  return {
    ok: true,
    review: {
      apiVersion: reviewVersion,
      request: {
        uid,
        kind,
        resource,
        subResource: textField(request, "subResource"),
        name: textField(request, "name"),
        namespace: textField(request, "namespace"),
        operation,
        userInfo: asUser(field(request, "userInfo")),
        object: asObject(field(request, "object")) ?? null,
        oldObject: asObject(field(request, "oldObject")) ?? null,
        dryRun: field(request, "dryRun") === true,
        json: request,
      },
    },
  };
}

/**
 * Says why `object` or `oldObject` is not a Kubernetes object; `undefined` when both are usable or absent.
 * Kyverno parity: requests with such objects are denied. Pinned by "an object that is none is denied where the
 * failurePolicy would admit it".
 */
function oddObject(request: JsonObject): string | undefined {
  for (const name of ["object", "oldObject"]) {
    const object = field(request, name);
    if (!isGiven(object)) continue;
    if (!isObject(object)) return `request.${name} must be an object`;
    if (textField(object, "kind") === "") {
      return `request.${name} has no kind`;
    }
  }
  return undefined;
}

/**
 * The longest texts that Kubernetes allows: DNS labels and subdomains (RFC 1123). For names of objects, some of which
 * are path segments, the limit is above the longest name. Postern keeps facts under these texts as keys, so no client
 * may make them long.
 */
const longest: readonly [path: readonly string[], characters: number][] = [
  [["uid"], 128],
  [["kind", "group"], 253],
  [["kind", "version"], 63],
  [["kind", "kind"], 63],
  [["resource", "group"], 253],
  [["resource", "version"], 63],
  [["resource", "resource"], 63],
  [["subResource"], 63],
  [["namespace"], 63],
  [["name"], 1024],
];

function unusableName(request: JsonObject): string | undefined {
  for (const [path, characters] of longest) {
    const name = asString(dig(request, ...path)) ?? "";
    if (name.length > characters) {
      return `request.${path.join(".")} is longer than ${characters} characters (${name.length})`;
    }
    // Half of a surrogate pair is no character, and a path of the API cannot contain it.
    if (!name.isWellFormed()) return `request.${path.join(".")} is not well-formed Unicode`;
  }
  return undefined;
}

function shown(value: Json | undefined): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, 100);
}

function asType(value: Json | undefined): GroupVersionKind {
  return {
    group: textField(value, "group"),
    version: textField(value, "version"),
    kind: textField(value, "kind"),
  };
}

function asResource(value: Json | undefined): GroupVersionResource {
  return {
    group: textField(value, "group"),
    version: textField(value, "version"),
    resource: textField(value, "resource"),
  };
}

function asUser(value: Json | undefined): UserInfo {
  return { username: textField(value, "username"), groups: asTexts(field(value, "groups")) };
}
