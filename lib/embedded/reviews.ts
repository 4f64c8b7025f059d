import {
  asList,
  asObject,
  asString,
  field,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import type { Clock } from "../ports.ts";
import { type AccessAttributes, authorize, type RbacObjects } from "./rbac.ts";
import {
  badRequest,
  type Cause,
  invalid,
  methodNotAllowed,
  noSuchResource,
  type Reply,
  replyWith,
} from "./reply.ts";
import { timestamp } from "./write.ts";

/** A user of the API. */
export interface ApiUser {
  readonly username: string;
  readonly groups: readonly string[];
}

/** A review that is answered and not stored. */
export interface ReviewRequest {
  readonly method: string;
  readonly group: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly body: Json;
}

/** The user, the clock and the RBAC objects from which reviews are answered. */
export interface Reviewing {
  /** The user of the call, whom a SelfSubjectReview returns. */
  readonly self: ApiUser;
  readonly clock: Clock;
  rbac(): RbacObjects;
}

interface Review {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly answer: (reviewing: Reviewing, request: ReviewRequest) => Reply;
}

/** The reviews that are served, by `group/resource`. */
const reviews: Readonly<Record<string, Review>> = {
  "authorization.k8s.io/subjectaccessreviews": {
    kind: "SubjectAccessReview",
    namespaced: false,
    answer: answerAccess,
  },
  "authorization.k8s.io/localsubjectaccessreviews": {
    kind: "LocalSubjectAccessReview",
    namespaced: true,
    answer: answerAccess,
  },
  "authorization.k8s.io/selfsubjectaccessreviews": {
    kind: "SelfSubjectAccessReview",
    namespaced: false,
    answer: answerAccess,
  },
  "authentication.k8s.io/selfsubjectreviews": {
    kind: "SelfSubjectReview",
    namespaced: false,
    answer: answerSelf,
  },
};

/** The group, resource, kind and scope of each review, for discovery. */
export function reviewResources(): {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}[] {
  return Object.entries(reviews).map(([key, { kind, namespaced }]) => {
    const [group = "", plural = ""] = key.split("/");
    return { group, plural, kind, namespaced };
  });
}

/** The reply to a review; `undefined` for other paths. */
export function answerReview(reviewing: Reviewing, request: ReviewRequest): Reply | undefined {
  const key = `${request.group}/${request.plural}`;
  const review = Object.hasOwn(reviews, key) ? reviews[key] : undefined;
  if (review === undefined) return undefined;
  if (request.name !== undefined || (request.namespace !== undefined) !== review.namespaced) {
    return noSuchResource();
  }
  if (request.method !== "POST") return methodNotAllowed();
  const kind = field(request.body, "kind");
  if (!isObject(request.body) || kind !== undefined && kind !== review.kind) {
    return badRequest(`the object provided is unrecognized (must be of type ${review.kind})`);
  }
  return review.answer(reviewing, request);
}

function answerSelf({ self, clock }: Reviewing): Reply {
  return replyWith({
    kind: "SelfSubjectReview",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { creationTimestamp: timestamp(clock) },
    status: { userInfo: { username: self.username, groups: [...self.groups] } },
  }, 201);
}

function answerAccess(reviewing: Reviewing, { plural, namespace, body }: ReviewRequest): Reply {
  const spec = asObject(field(body, "spec")) ?? {};
  const isSelf = plural === "selfsubjectaccessreviews";
  const causes = problemsOf(spec, { isSelf: isSelf ? "yes" : "no", namespace });
  if (causes.length > 0) {
    return invalid({ type: ".authorization.k8s.io", group: "authorization.k8s.io", name: "" }, causes);
  }
  const { allowed, reason } = authorize(
    attributesOf(spec, isSelf ? reviewing.self : undefined),
    reviewing.rbac(),
  );
  const metadata = asObject(field(body, "metadata")) ?? {};
  return replyWith({
    kind: Object.entries(reviews).find(([key]) => key.endsWith(`/${plural}`))![1].kind,
    apiVersion: "authorization.k8s.io/v1",
    metadata,
    spec,
    status: { allowed, ...(reason === "" ? {} : { reason }) },
  }, 201);
}

/** The problems that the API server finds in a review's spec. */
function problemsOf(
  spec: JsonObject,
  { isSelf, namespace }: { readonly isSelf: "yes" | "no"; readonly namespace: string | undefined },
): Cause[] {
  const causes: Cause[] = [];
  const resource = asObject(spec["resourceAttributes"]), path = asObject(spec["nonResourceAttributes"]);
  if ((resource === undefined) === (path === undefined)) {
    const given = resource === undefined ? "null" : "{}";
    const message =
      `Invalid value: ${given}: exactly one of nonResourceAttributes or resourceAttributes must be specified`;
    causes.push({ reason: "FieldValueInvalid", message, field: "spec.resourceAttributes" });
  }
  if (isSelf === "no" && (asString(spec["user"]) ?? "") === "" && groupsOf(spec).length === 0) {
    const message = 'Invalid value: "": at least one of user or group must be specified';
    causes.push({ reason: "FieldValueInvalid", message, field: "spec.user" });
  }
  const named = textField(resource, "namespace");
  if (namespace !== undefined && resource !== undefined && named !== namespace) {
    const message = `Invalid value: ${JSON.stringify(named)}: must match metadata.namespace`;
    causes.push({ reason: "FieldValueInvalid", message, field: "spec.resourceAttributes.namespace" });
  }
  return causes;
}

function attributesOf(spec: JsonObject, self: ApiUser | undefined): AccessAttributes {
  const resource = asObject(spec["resourceAttributes"]), path = asObject(spec["nonResourceAttributes"]);
  const text = (from: JsonObject | undefined, name: string) => textField(from, name);
  return {
    user: self?.username ?? text(spec, "user"),
    groups: self?.groups ?? groupsOf(spec),
    verb: text(resource ?? path, "verb"),
    ...(resource === undefined ? { path: text(path, "path") } : {
      resource: {
        group: text(resource, "group"),
        resource: text(resource, "resource"),
        subresource: text(resource, "subresource"),
        namespace: text(resource, "namespace"),
        name: text(resource, "name"),
      },
    }),
  };
}

function groupsOf(spec: JsonObject): string[] {
  return asList(spec["groups"]).filter((group) => typeof group === "string");
}
