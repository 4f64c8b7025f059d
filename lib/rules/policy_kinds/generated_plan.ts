import { asObject, asString, type Fault, isFault, type JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf, objectIdentity, uidOf } from "../../kube/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import { describe, objectsInCluster, referenceTo } from "../cluster_objects.ts";
import { type CelOwner, celOwnerLabels, copiedLabels, isOwned, ownedLabels } from "../cel_owner_labels.ts";
import { isApplied, isInStep, keeping, renamed, replacing } from "../generated_manifest.ts";
import type { Effect } from "../outcome.ts";
import { cloneSourceLabel, labelled } from "../owner_labels.ts";
import type { ObjectType, RuleInput } from "../rule_kind.ts";
import { isMarked } from "./generated_object.ts";

/** An object that a policy generates, and the stored object that it is a copy of. */
export interface Generated {
  readonly object: JsonObject;
  readonly source: JsonObject | undefined;
}

/** The policy and the request for which generated objects are planned. */
export interface GenerationOptions {
  readonly policy: Policy;
  readonly synchronize: boolean;
  readonly trigger: JsonObject;
  readonly input: RuleInput;
}

/**
 * Plans the generated objects: it creates those that are missing, and replaces those that the policy generated for this
 * trigger. Kyverno parity: any other object of the same name is left alone, and a replaced object loses what others
 * added to it. Pinned by "an object that a GeneratingPolicy did not generate for the trigger is left alone" and "an
 * edited object of a GeneratingPolicy loses what was added".
 */
export function planGenerated(
  generated: readonly Generated[],
  options: GenerationOptions,
): Effect[] | Fault {
  const { policy, trigger, synchronize, input: { context: { tracker } } } = options;
  const about = { policy: policy.key, rule: policy.name, reason: `generated for ${describe(trigger)}` };
  const creation = policy.useServerSideApply ? "apply" : "create";
  if (!tracker.serves("downstream")) {
    return generated.map(({ object }) => ({ verb: creation, object, ...about }));
  }
  const clusterObjects = objectsInCluster(tracker), owner = ownerIn(options);
  // An object that is generated twice is what the last generation makes of it.
  const last = [...new Map(generated.map((each) => [objectIdentity(each.object), each])).values()];
  // All look-ups begin before the first one is awaited.
  const lookups = last.map((each) => ({ ...each, lookup: clusterObjects.get(referenceTo(each.object)) }));
  const effects: Effect[] = [];
  for (const { object, source, lookup } of lookups) {
    if (isFault(lookup)) return lookup;
    const found = "object" in lookup ? lookup.object : undefined;
    // Without synchronize what users made of the object stays, unless the policy owns single fields of it.
    const isLeft = found !== undefined &&
      (!isOwned(found, owner) || !synchronize && !policy.useServerSideApply);
    if (isLeft) continue;
    // The policy may not say whether the kind has namespaces; the stored object does.
    const scoped = found === undefined
      ? object
      : renamed(object, { name: nameOf(object), namespace: namespaceOf(found) });
    const labels = { ...(source && copiedLabels(source)), ...celOwnerLabels(owner) };
    const wanted = withLabels(scoped, labels, source);
    if (source !== undefined && synchronize && !isMarked(source)) {
      const reason = `${describe(source)} is copied, and its changes are looked for by this label`;
      const marked = labelled(source, { [cloneSourceLabel]: "" });
      effects.push({ ...about, verb: "update", object: marked, reason, dispensable: true });
    }
    effects.push({ ...about, ...written(wanted, found, creation) });
  }
  return effects;
}

/** How the wanted object is written over the one that the policy generated before, if there is one. */
function written(
  wanted: JsonObject,
  found: JsonObject | undefined,
  creation: "create" | "apply",
): Pick<Effect, "verb" | "object" | "inStep"> {
  if (found === undefined) return { verb: creation, object: wanted };
  if (creation === "apply") {
    return { verb: "apply", object: wanted, ...(isApplied(found, wanted) && { inStep: true }) };
  }
  const object = replacing(found, keeping(found, wanted));
  return { verb: "update", object, ...(isInStep(found, object) && { inStep: true }) };
}

/**
 * Plans the deletion of the stored objects that the policy generated for the trigger, except those that it generates
 * now: all of them when the trigger is gone or no longer matches. Labels identify them: what expressions say of the
 * trigger may have changed since.
 */
export function planWithdrawal(
  types: readonly ObjectType[],
  options: GenerationOptions,
  kept: readonly JsonObject[] = [],
): Effect[] | Fault {
  const { policy, trigger, input: { triggerGone, context: { tracker } } } = options;
  if (!tracker.serves("downstream") || uidOf(trigger) === "") return [];
  const clusterObjects = objectsInCluster(tracker), owner = ownerIn(options);
  const selector = { matchLabels: { ...ownedLabels(owner) } }, namespace = policy.namespace ?? "";
  const lists = types.map((type) => clusterObjects.list({ ...type, namespace, selector }));
  const effects: Effect[] = [];
  const why = triggerGone ? "is gone or no longer matches" : "has changed";
  const reason = `${describe(trigger)}, for which it was generated, ${why}`;
  const identities = new Set(kept.map(objectIdentity));
  for (const list of lists) {
    if (isFault(list)) return list;
    for (
      const object of list.filter((each) => isOwned(each, owner) && !identities.has(objectIdentity(each)))
    ) {
      effects.push({ verb: "delete", object, policy: policy.key, rule: policy.name, reason });
    }
  }
  return effects;
}

/**
 * The owner that labels name. Kyverno parity: what is generated for a deletion names neither the namespace nor the uid
 * of its trigger, so that the next deletion may replace it. Pinned by "what a GeneratingPolicy makes for a deletion
 * stays, and the next deletion replaces it".
 */
function ownerIn({ policy, trigger, input }: GenerationOptions): CelOwner {
  const { group, version, kind, operation, triggerGone, request } = input;
  const isDeletion = operation === "DELETE" && triggerGone === undefined;
  return {
    policy: { name: policy.name, namespace: policy.namespace },
    trigger: {
      group,
      version,
      kind,
      name: nameOf(trigger) || (asString(request["name"]) ?? ""),
      namespace: isDeletion ? "" : namespaceOf(trigger),
      uid: isDeletion ? "" : uidOf(trigger),
    },
  };
}

function withLabels(
  object: JsonObject,
  labels: Readonly<Record<string, string>>,
  source: JsonObject | undefined,
): JsonObject {
  if (source === undefined) return labelled(object, labels);
  return { ...object, metadata: { ...asObject(object["metadata"]), labels } };
}
