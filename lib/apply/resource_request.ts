import type { Operation, PolicyRequest, Requester } from "../engine/mod.ts";
import { asObject, asString, field, type Json, type JsonObject } from "../json/mod.ts";
import { builtinKind, nameOf, namespaceOf, parseApiVersion } from "../kube/mod.ts";
import { celKinds, clusterWideKind, hasRules } from "../policy/mod.ts";
import { splitName, type Subresource, type Values, withValue } from "./values.ts";

/** The user of the request, from a UserInfo file. */
export interface GivenUser {
  readonly requester: Requester;
  /** The value of `request.userInfo` in expressions. */
  readonly userInfo: JsonObject;
}

/** The parts of a request besides its object. */
export interface ResourceRequestOptions {
  readonly policy: string;
  /** The kind of the policy; absent for one with rules. */
  readonly kind?: string;
  readonly values: Values;
  readonly user: GivenUser | undefined;
  /** The source of namespaces that the values do not have: the cluster, or none. */
  readonly namespaces?: "cluster" | "values";
}

/**
 * The admission request for an object from a file. Kyverno parity: it is a CREATE unless the values say otherwise; an
 * UPDATE has the object as its old object too, a DELETE as its old object only; expressions can read only the parts
 * of `request` that the command line sets. A CONNECT is a CREATE with another text in `request.operation`. Pinned by
 * tests/apply/apply_test.ts and tests/apply/operations_test.ts.
 */
export function resourceRequest(
  resource: JsonObject,
  { policy, kind = "ClusterPolicy", values, user, namespaces }: ResourceRequestOptions,
): PolicyRequest {
  const name = nameOf(resource);
  const given = hasRules(kind) ? values.forResource(policy, name) : valuesOfCel(kind, values);
  const operation = operationOf(given.get("request.operation"));
  const namespace = namespaceOf(resource);
  let variable: JsonObject = {
    namespace,
    operation,
    ...(operation !== "DELETE" && { object: resource }),
    ...(operation !== "CREATE" && { oldObject: resource }),
    ...(user !== undefined && { userInfo: user.userInfo }),
  };
  for (const [path, value] of given) {
    const [root, ...rest] = splitName(path);
    if (root === "request" && rest.length > 0) variable = withValue(variable, rest, value);
  }
  const object = asObject(field(variable, "object"));
  const labels = values.namespaceLabels.get(namespace) ?? (namespaces === "cluster" ? undefined : {});
  return {
    uid: "",
    operation,
    ...typeOfResource(resource, values.subresources),
    namespace,
    name,
    object: operation === "DELETE" ? undefined : object,
    oldObject: operation === "CREATE" ? undefined : asObject(field(variable, "oldObject")),
    requester: user?.requester,
    dryRun: true,
    variable,
    ...(labels !== undefined && { namespaceLabels: labels }),
  };
}

/** The values for other names than `request`, for the rule's context. */
export function otherValues(values: ReadonlyMap<string, Json>): [string, Json][] {
  return [...values].filter(([name]) => !name.startsWith("request."));
}

/**
 * The values for a policy in CEL. Kyverno parity: only the global operation counts, not that of an object or of
 * `--set`, and the request of an admission policy is always a CREATE. Pinned by
 * tests/apply/operations_test.ts.
 */
function valuesOfCel(kind: string, { operation }: Values): ReadonlyMap<string, Json> {
  return new Map([["request.operation", isAdmissionPolicy(kind) ? "CREATE" : operationOf(operation)]]);
}

/** Whether a kind with expressions is one of the API server, and not of Kyverno. */
export function isAdmissionPolicy(kind: string): boolean {
  return !celKinds.some((each) => each.kind === clusterWideKind(kind));
}

function operationOf(value: Json | undefined): Operation {
  return value === "UPDATE" || value === "DELETE" ? value : "CREATE";
}

function typeOfResource(
  resource: JsonObject,
  subresources: readonly Subresource[],
): Pick<PolicyRequest, "group" | "version" | "kind" | "subresource"> {
  const type = {
    ...parseApiVersion(asString(resource["apiVersion"]) ?? ""),
    kind: asString(resource["kind"]) ?? "",
  };
  const found = subresources.find(({ kind }) =>
    kind["kind"] === type.kind && (asString(kind["group"]) ?? "") === type.group &&
    kind["version"] === type.version
  );
  if (found === undefined) return { ...type, subresource: "" };
  const { parent } = found;
  return {
    group: asString(parent["group"]) ?? "",
    version: asString(parent["version"]) ?? "",
    kind: asString(parent["kind"]) ?? "",
    subresource: found.name.split("/")[1] ?? "",
  };
}

/**
 * Kyverno parity: an object from a file without a namespace is in `default`, unless its kind has no namespaces.
 * Pinned by "an object without a namespace in its file is in default, unless its kind has no namespaces".
 */
export function withNamespace(resource: JsonObject): JsonObject {
  const metadata = asObject(resource["metadata"]) ?? {};
  if (asString(metadata["namespace"])) return resource;
  const name = asString(resource["kind"]) ?? "";
  const apiVersion = asString(resource["apiVersion"]) ?? "";
  // A version that is no longer served had the same scope.
  const served = builtinKind(name, apiVersion) ?? builtinKind(name);
  const kind = served?.group === parseApiVersion(apiVersion).group ? served : undefined;
  return kind?.namespaced === false
    ? resource
    : { ...resource, metadata: { ...metadata, namespace: "default" } };
}
