import type { Effect } from "../engine/mod.ts";
import { asObject, asString, dig, type Json, type JsonObject } from "../json/mod.ts";
import { collectionPath, deleteOptions, nameOf, namespaceOf, objectPath } from "../kube/mod.ts";
import { namespaceOfKey } from "../policy/mod.ts";
import type { Answer, ApiCall, ApiResource, Cluster } from "../ports.ts";
import { longNumberPath } from "./long_number.ts";
import { isRejected } from "./rejected_call.ts";

/** The result of carrying out an effect. */
export type Carried =
  | {
    readonly done: true;
    /** Whether the cluster had to change for it. */
    readonly changed: boolean;
  }
  | {
    readonly done: false;
    readonly message: string;
    /** Whether another attempt, planned again, may succeed. */
    readonly retryable: boolean;
    /** Set when the cluster may have changed all the same, because the API server did not answer or failed. */
    readonly isDoubtful?: true;
  };

/**
 * The field manager of server-side apply. Kyverno parity: the same name, so that Postern and Kyverno manage the same
 * fields. Pinned by tests/background/carry_out_test.ts.
 */
const fieldManager = "kyverno-generate";

/**
 * Carries out one effect. It may be repeated: creating an object that exists or deleting one that is gone succeeds. A
 * change by somebody else in between makes it fail for now, because the effect must then be planned again.
 */
export async function carryOut(effect: Effect, cluster: Cluster, signal?: AbortSignal): Promise<Carried> {
  const { object, verb, subresource, inStep } = effect;
  if (inStep) return { done: true, changed: false };
  const apiVersion = subresource?.apiVersion ?? asString(object["apiVersion"]) ?? "";
  const kind = subresource?.kind ?? asString(object["kind"]) ?? "";
  const resource = await cluster.resource(apiVersion, kind);
  if (resource === undefined) {
    return { done: false, message: `the cluster does not serve ${apiVersion}/${kind}`, retryable: true };
  }
  const namespace = resource.namespaced ? namespaceOf(object) || "default" : "";
  const problem = namespaceProblem(effect, resource, namespace);
  if (problem !== undefined) return { done: false, message: problem, retryable: false };
  const longNumber = verb === "delete" ? undefined : longNumberPath(object);
  if (longNumber !== undefined) {
    const message =
      `${longNumber} is a whole number beyond 2^53, which would be written with other digits: ` +
      "keep such numbers as texts";
    return { done: false, message, retryable: false };
  }
  const call = callFor(effect, resource, namespace);
  const answer = await cluster.call(signal === undefined ? call : { ...call, signal });
  if (answer.ok) return { done: true, changed: !isUnchanged(effect, answer.body) };
  if (verb === "create" && answer.status === 409) return { done: true, changed: false };
  if (verb === "delete" && answer.status === 404) return { done: true, changed: false };
  const failed = { done: false, message: answer.message, retryable: isRetryable(answer) } as const;
  return isRejected(answer) ? failed : { ...failed, isDoubtful: true };
}

/**
 * Why a policy of a namespace must not change an object: it is outside the namespace. The object is written with the
 * rights of Postern's service account, which the policy's author does not have.
 */
function namespaceProblem({ policy }: Effect, { kind }: ApiResource, namespace: string): string | undefined {
  const within = namespaceOfKey(policy);
  if (within === undefined || namespace === within) return undefined;
  const where = namespace === "" ? "of the whole cluster" : `in namespace ${namespace}`;
  return `policy ${policy} cannot change a ${kind} ${where}`;
}

function callFor(
  { verb, object, subresource }: Effect,
  resource: ApiResource,
  namespace: string,
): ApiCall {
  const path = objectPath(resource, {
    namespace,
    name: nameOf(object),
    subresource: subresource?.name ?? "",
  });
  const body = inNamespace(object, namespace);
  switch (verb) {
    case "create":
      return { method: "POST", path: collectionPath(resource, namespace), body };
    case "update":
      return { method: "PUT", path, body };
    case "apply": {
      const query = new URLSearchParams({ fieldManager, force: "true" });
      return { method: "PATCH", path: `${path}?${query}`, body, contentType: "application/apply-patch+yaml" };
    }
    case "delete":
      return { method: "DELETE", path, body: deleteOptions(object) };
  }
}

/** Whether the API server kept the version that an update replaces: the object was as wanted, with its defaults. */
function isUnchanged({ verb, object }: Effect, stored: Json): boolean {
  const version = dig(object, "metadata", "resourceVersion");
  return verb === "update" && version !== undefined && version === dig(stored, "metadata", "resourceVersion");
}

function inNamespace(object: JsonObject, namespace: string): JsonObject {
  const { namespace: _, ...metadata } = asObject(object["metadata"]) ?? {};
  return { ...object, metadata: namespace === "" ? metadata : { ...metadata, namespace } };
}

/** An object that the API server refuses as invalid will be refused again; every other failure may end. */
function isRetryable({ status }: Answer): boolean {
  return status !== 400 && status !== 422;
}
