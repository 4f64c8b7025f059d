import type { Effect } from "../engine/mod.ts";
import {
  asList,
  asObject,
  asString,
  dig,
  equal,
  Fault,
  field,
  isFault,
  isObject,
  type JsonObject,
} from "../json/mod.ts";
import {
  annotationsOf,
  collectionPath,
  isBeingDeleted,
  labelsOf,
  nameOf,
  namespaceOf,
  objectPath,
  uidOf,
} from "../kube/mod.ts";
import { policyKey } from "../policy/mod.ts";
import type { ApiResource, Cluster } from "../ports.ts";
import { isSameOwner, keeping, manifestOf, type OwnerReference, replacing } from "../rules/mod.ts";

/** A changed object that a policy in CEL generated, and how much of the change is undone. */
export interface RestorationOptions {
  readonly owner: OwnerReference;
  readonly state: "present" | "missing";
  /** Whether it is restored only when it lost the labels of its owner, because the policy decides otherwise. */
  readonly onlyReleased: boolean;
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
}

/**
 * The effect that makes a generated object what it was before a change; `undefined` when it is so already, or when
 * nothing proves what it was. The object of the request proves nothing: anyone can send a review. So this reads the
 * object from the API server in the version that was changed, which the API server keeps for some minutes.
 *
 * Kyverno parity: what a policy cannot generate again for the stored trigger is restored, too; Kyverno keeps a copy of
 * every object. Pinned by "an object that depends on the request of its trigger is restored as it was".
 */
export async function restoration(
  target: JsonObject,
  options: RestorationOptions,
): Promise<Effect | undefined | Fault> {
  const { cluster, signal, owner, state, onlyReleased } = options;
  const apiVersion = asString(target["apiVersion"]) ?? "", kind = asString(target["kind"]) ?? "";
  const resource = await cluster.resource(apiVersion, kind);
  if (resource === undefined) return undefined;
  const path = objectPath(resource, { namespace: namespaceOf(target), name: nameOf(target) });
  const answer = await cluster.call({ method: "GET", path, signal });
  if (!answer.ok && answer.status !== 404) return new Fault(answer.message);
  const stored = answer.ok ? asObject(answer.body) : undefined;
  const isMeant = state === "missing"
    ? stored === undefined && !onlyReleased
    : stored !== undefined && uidOf(stored) === uidOf(target) && !isBeingDeleted(stored) &&
      !(onlyReleased && isSameOwner(stored, owner));
  if (!isMeant) return undefined;
  const former = await formerVersion(target, resource, options);
  if (former === undefined || isFault(former)) return former;
  if (!isSameOwner(former, owner)) return undefined;
  const wanted = { apiVersion, kind, ...manifestOf(former) };
  const about = { policy: policyKey(owner.policy), rule: owner.rule, reason: "it was changed or deleted" };
  if (stored === undefined) return { ...about, verb: "create", object: wanted };
  if (isSame(stored, wanted)) return undefined;
  return { ...about, verb: "update", object: replacing(stored, keeping(stored, wanted)) };
}

/** The object as it was stored in the version of the target, if the API server still has that. */
async function formerVersion(
  target: JsonObject,
  resource: ApiResource,
  { cluster, signal }: RestorationOptions,
): Promise<JsonObject | undefined | Fault> {
  const resourceVersion = asString(dig(target, "metadata", "resourceVersion")) ?? "", name = nameOf(target);
  if (resourceVersion === "" || name === "") return undefined;
  const query = new URLSearchParams({
    fieldSelector: `metadata.name=${name}`,
    resourceVersion,
    resourceVersionMatch: "Exact",
  });
  const path = `${collectionPath(resource, namespaceOf(target) || "default")}?${query}`;
  const answer = await cluster.call({ method: "GET", path, signal });
  if (!answer.ok) {
    // Such a failure does not end by itself: the API server has forgotten the version, or does not let Postern list.
    const isFinal = answer.status !== undefined && answer.status >= 400 && answer.status < 500 &&
      answer.status !== 429;
    return isFinal ? undefined : new Fault(answer.message);
  }
  return asList(field(answer.body, "items")).filter(isObject).find((item) =>
    nameOf(item) === name && uidOf(item) === uidOf(target) &&
    dig(item, "metadata", "resourceVersion") === resourceVersion
  );
}

/**
 * Whether two versions of an object have the same labels, annotations and contents. Status and other metadata are
 * written by the API server and by controllers, so they do not count.
 */
function isSame(left: JsonObject, right: JsonObject): boolean {
  return equal(contentOf(left), contentOf(right));
}

function contentOf(object: JsonObject): JsonObject {
  const { metadata: _metadata, status: _status, ...content } = object;
  return { ...content, annotations: annotationsOf(object), labels: labelsOf(object) };
}
