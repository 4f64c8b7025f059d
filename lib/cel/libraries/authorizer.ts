import { dig, type Json, type JsonObject } from "../../json/mod.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../kube/mod.ts";
import { failure, isCelFault } from "../fault.ts";
import { boolType, type CelType, opaqueType, stringType } from "../types/mod.ts";
import { costSize, Opaque } from "../values/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";
import { type FunctionDeclaration, type Library, method, type Result } from "./library.ts";

/** The type of the variable `authorizer`. */
export const authorizerType: CelType<Authorizer> = opaqueType("kubernetes.authorization.Authorizer");
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType: CelType<ResourceCheck> = opaqueType("kubernetes.authorization.ResourceCheck");
const pathCheckType: CelType<PathCheck> = opaqueType("kubernetes.authorization.PathCheck");
const groupCheckType: CelType<GroupCheck> = opaqueType("kubernetes.authorization.GroupCheck");
const decisionType: CelType<Decision> = opaqueType("kubernetes.authorization.Decision");

/** A user in the form of SubjectAccessReviews: `{user, groups, uid, extra}`. */
export type AccessUser = Readonly<Record<string, Json>>;

/** The resource of a check, in the form of SubjectAccessReviews. */
export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A value that holds only its attributes. No two of them are equal. */
abstract class Check extends Opaque {
  override equals(other: Opaque): boolean {
    return this === other;
  }

  override toString(): string {
    return this.type.name;
  }
}

/** The value of the variable `authorizer`: the user whose access is checked. */
export class Authorizer extends Check {
  readonly type = authorizerType;
  readonly user: AccessUser;

  constructor(user: AccessUser) {
    super();
    this.user = user;
  }

  /** The check of the request's own resource: the value of the variable `authorizer.requestResource`. */
  requestResource(attributes: ResourceAttributes): ResourceCheck {
    return new ResourceCheck(this.user, { ...attributes });
  }
}

/** The user of an access check, from an admission request's `userInfo`. */
export function accessUserOf(userInfo: JsonObject): AccessUser {
  const { username = "", groups = [], uid = "", extra = {} } = userInfo;
  return { user: username, groups, uid, extra };
}

class PathCheck extends Check {
  readonly type = pathCheckType;
  readonly user: AccessUser;
  readonly path: string;

  constructor(user: AccessUser, path: string) {
    super();
    this.user = user;
    this.path = path;
  }
}

class GroupCheck extends Check {
  readonly type = groupCheckType;
  readonly user: AccessUser;
  readonly group: string;

  constructor(user: AccessUser, group: string) {
    super();
    this.user = user;
    this.group = group;
  }
}

/** A check of a resource without its verb. */
export class ResourceCheck extends Check {
  readonly type = resourceCheckType;
  readonly user: AccessUser;
  readonly attributes: JsonObject;

  constructor(user: AccessUser, attributes: JsonObject) {
    super();
    this.user = user;
    this.attributes = attributes;
  }

  with(attributes: JsonObject): ResourceCheck {
    return new ResourceCheck(this.user, { ...this.attributes, ...attributes });
  }
}

/** A decision about access. `error` is empty when the check succeeded. */
interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error: string;
}

class Decision extends Check {
  readonly type = decisionType;
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super();
    this.verdict = verdict;
  }
}

function decide(external: ExternalCalls, spec: JsonObject): Result {
  const reply = external.call({ kind: "access", spec });
  if (isCelFault(reply)) return reply;
  if (!reply.ok) return new Decision({ allowed: false, reason: "", error: reply.message });
  const text = (key: string): string => {
    const value = dig(reply.body, "status", key);
    return typeof value === "string" ? value : "";
  };
  const allowed = dig(reply.body, "status", "allowed") === true;
  return new Decision({ allowed, reason: text("reason"), error: text("evaluationError") });
}

function serviceAccount(namespace: string, name: string): Result {
  if (dnsSubdomainProblems(name).length > 0) return failure("Invalid service account name");
  if (dnsLabelProblems(namespace).length > 0) return failure("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return new Authorizer({ user: `system:serviceaccount:${namespace}:${name}`, groups });
}

/** A method that adds one attribute to a check of a resource. */
function attribute(name: string, id: string, of: (text: string) => JsonObject): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id,
        takes: [resourceCheckType, stringType],
        gives: resourceCheckType,
        call: (check, text) => check.with(of(text)),
      }),
    ],
  };
}

/** A selector as text; the API server ignores what it cannot parse. */
function selector(name: string, text: string): JsonObject {
  return text === "" ? {} : { [name]: { rawSelector: text } };
}

function aspect(
  name: string,
  gives: CelType,
  of: (verdict: Verdict) => boolean | string,
): FunctionDeclaration {
  return {
    name,
    overloads: [
      method({
        id: `decision_${name}`,
        takes: [decisionType],
        gives,
        call: ({ verdict }) => of(verdict),
      }),
    ],
  };
}

/** The cost of one access check: so high that an expression can afford only two. */
const checkCost = (): number => 350_000;

/** The cost of parsing a selector: about one requirement for each two characters. */
function selecting([, text]: readonly Result[]): number {
  const size = costSize(text);
  return 10 + Math.ceil(size * 0.1) + Math.ceil(Math.ceil(size * 0.5) * 50);
}

/** Checks of users' access: `authorizer.group("apps").resource("deployments").check("create").allowed()`. */
export const authorizerLibrary: Library = {
  name: "kubernetes.authz",
  functions: [
    {
      name: "path",
      overloads: [
        method({
          id: "authorizer_path",
          takes: [authorizerType, stringType],
          gives: pathCheckType,
          call: ({ user }, path) =>
            path.trim() === "" ? failure("path must not be empty") : new PathCheck(user, path),
        }),
      ],
    },
    {
      name: "group",
      overloads: [
        method({
          id: "authorizer_group",
          takes: [authorizerType, stringType],
          gives: groupCheckType,
          call: ({ user }, group) => new GroupCheck(user, group),
        }),
      ],
    },
    {
      name: "serviceAccount",
      overloads: [
        method({
          id: "authorizer_serviceaccount",
          takes: [authorizerType, stringType, stringType],
          gives: authorizerType,
          call: (_, namespace, name) => serviceAccount(namespace, name),
        }),
      ],
    },
    {
      name: "resource",
      overloads: [
        method({
          id: "groupcheck_resource",
          takes: [groupCheckType, stringType],
          gives: resourceCheckType,
          call: ({ user, group }, resource) =>
            resource.trim() === ""
              ? failure("resource must not be empty")
              : new ResourceCheck(user, { group, resource }),
        }),
      ],
    },
    attribute("subresource", "resourcecheck_subresource", (subresource) => ({ subresource })),
    attribute("namespace", "resourcecheck_namespace", (namespace) => ({ namespace })),
    attribute("name", "resourcecheck_name", (name) => ({ name })),
    {
      name: "fieldSelector",
      overloads: [
        method({
          id: "authorizer_fieldselector",
          takes: [resourceCheckType, stringType],
          gives: resourceCheckType,
          call: (check, text) => check.with(selector("fieldSelector", text)),
          cost: selecting,
        }),
      ],
    },
    {
      name: "labelSelector",
      overloads: [
        method({
          id: "authorizer_labelselector",
          takes: [resourceCheckType, stringType],
          gives: resourceCheckType,
          call: (check, text) => check.with(selector("labelSelector", text)),
          cost: selecting,
        }),
      ],
    },
    {
      name: "check",
      overloads: [
        method({
          id: "pathcheck_check",
          needs: () => [{ kind: "accessReview" }],
          takes: [pathCheckType, stringType],
          gives: decisionType,
          callOut: (external, { user, path }, verb) =>
            decide(external, { ...user, nonResourceAttributes: { path, verb } }),
          cost: checkCost,
        }),
        method({
          id: "resourcecheck_check",
          needs: () => [{ kind: "accessReview" }],
          takes: [resourceCheckType, stringType],
          gives: decisionType,
          callOut: (external, { user, attributes }, verb) =>
            decide(external, { ...user, resourceAttributes: { version: "*", ...attributes, verb } }),
          cost: checkCost,
        }),
      ],
    },
    aspect("allowed", boolType, ({ allowed }) => allowed),
    aspect("reason", stringType, ({ reason }) => reason),
    aspect("errored", boolType, ({ error }) => error !== ""),
    aspect("error", stringType, ({ error }) => error),
  ],
};
