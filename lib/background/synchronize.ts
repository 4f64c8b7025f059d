import {
  type CompiledRule,
  type Effect,
  evaluate,
  type Snapshot,
  withdrawsOnDeletion,
} from "../engine/mod.ts";
import { asString, dig, equal, Fault, isFault, type JsonObject } from "../json/mod.ts";
import { isBeingDeleted, objectIdentity, typeOf, uidOf } from "../kube/mod.ts";
import { policyKey } from "../policy/mod.ts";
import type { Ports } from "../ports.ts";
import {
  cloneLabels,
  cloneSourceLabel,
  copiedOnto,
  isSameOwner,
  keeping,
  ownerOf,
  type OwnerReference,
  referenceTo,
  replacing,
  sourceOf,
} from "../rules/mod.ts";
import { downstreamSettings, findRule, reader } from "./downstream_rules.ts";
import { existingRequest } from "./existing_request.ts";
import { findByUid, type UidReference } from "./find_by_uid.ts";
import { reconcile } from "./reconcile.ts";
import { restoration } from "./restoration.ts";

/** A change of an object, from a watch. */
export interface Change {
  /** The object as it is now, or as it was before its deletion. */
  readonly object: JsonObject;
  readonly state: "present" | "deleted";
}

/** The policies and ports with which changes are followed. */
export interface SynchronizeOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
}

/**
 * The effects of a change of a generated object or of a source of clones. Changes of other objects have none; changes
 * of triggers are requests of their own. A fault says what could not be read.
 */
export function followChange(
  change: Change,
  options: SynchronizeOptions,
): Promise<readonly Effect[] | Fault> {
  return new ChangeFollower(options).follow(change);
}

/** The state of a generated object and of its source. */
interface TargetState {
  readonly owner: OwnerReference;
  readonly target: "present" | "missing";
  readonly source: "present" | "deleted";
  /** The source as it is now and as it was, when its change is followed. */
  readonly changed?: { readonly source: JsonObject; readonly former: JsonObject };
}

/** The effects that a rule plans for a stored trigger. */
interface StoredPlan {
  readonly effects: readonly Effect[];
  /** Whether they are all that the rule generates for the trigger. */
  readonly isComplete: boolean;
}

class ChangeFollower {
  readonly #options: SynchronizeOptions;
  readonly #read: ReturnType<typeof reader>;
  readonly #clusterReads: { readonly cluster: Ports["cluster"]; readonly signal: AbortSignal };

  constructor(options: SynchronizeOptions) {
    this.#options = options;
    this.#read = reader(options.ports);
    this.#clusterReads = { cluster: options.ports.cluster, signal: AbortSignal.timeout(readTimeoutMs) };
  }

  async follow({ object, state }: Change): Promise<readonly Effect[] | Fault> {
    const owner = ownerOf(object);
    if (owner !== undefined) {
      const target = state === "deleted" ? "missing" : "present";
      return await this.#reconcile(object, { owner, target, source: "present" });
    }
    if (dig(object, "metadata", "labels", cloneSourceLabel) !== "") return [];
    if (state === "deleted") {
      const source = await findByUid(uidReferenceTo(object), this.#clusterReads);
      if (isFault(source)) return source;
      // The deletion names a source that is gone, but the uid of one that still exists.
      if (source !== undefined && !isBeingDeleted(source)) return [];
    }
    return await this.#followClones(object, state);
  }

  async #followClones(source: JsonObject, state: Change["state"]): Promise<readonly Effect[] | Fault> {
    const clones = await this.#read((objects) =>
      objects.list({
        apiVersion: asString(source["apiVersion"]) ?? "",
        kind: typeOf(source).kind,
        namespace: "",
        selector: { matchLabels: { ...cloneLabels(source) } },
      })
    );
    if (isFault(clones)) return clones;
    const stored = state === "deleted" ? source : await this.#stored(source);
    if (stored === undefined || isFault(stored)) return stored ?? [];
    // The request names the source whose contents are copied, but the uid of another one.
    if (uidOf(stored) !== uidOf(source)) return [];
    const changed = { source: stored, former: source };
    const effects: Effect[] = [];
    for (const clone of clones) {
      const owner = ownerOf(clone);
      if (owner === undefined) continue;
      const reconciled = await this.#reconcile(clone, { owner, target: "present", source: state, changed });
      if (isFault(reconciled)) return reconciled;
      effects.push(...reconciled);
    }
    return effects;
  }

  /** The effects that bring a generated object in step with its rule, trigger and source. */
  async #reconcile(target: JsonObject, state: TargetState): Promise<readonly Effect[] | Fault> {
    const { owner } = state;
    const rule = findRule(this.#options.snapshot, owner);
    // An object whose rule is unknown belongs to another program, or was left behind on purpose.
    if (rule === undefined) return [];
    const downstream = { ...downstreamSettings(rule), state: "present" } as const;
    if (!downstream.synchronize) return [];
    // Kyverno parity: what a policy in CEL generates for a deletion, or for a request such as an eviction, names no
    // trigger, and is restored all the same. Pinned by "what a GeneratingPolicy made for a trigger without uid is
    // restored".
    const isNameless = owner.language === "cel" && owner.trigger.uid === "";
    const trigger = isNameless ? undefined : await this.#findTrigger(owner);
    if (isFault(trigger)) return trigger;
    const plan = await this.#plan(trigger, owner, rule);
    const planned = plan.effects.find(({ object }) => objectIdentity(object) === objectIdentity(target));
    const isGone = trigger === undefined && !isNameless && withdrawsOnDeletion(rule) ||
      planned?.verb === "delete";
    const effect = planned ?? (isGone ? undefined : await this.#withoutPlan(target, state, plan));
    if (isFault(effect)) return effect;
    const { action, why } = reconcile({
      rule: downstream,
      trigger: isGone ? "gone" : "present",
      source: sourceOf(target) === undefined ? "none" : state.source,
      target: state.target === "missing"
        ? "missing"
        : effect !== undefined && effect.inStep === undefined
        ? "drifted"
        : "in-step",
    });
    if (action === "leave") return [];
    if (action !== "delete") return effect === undefined ? [] : [effect];
    const stored = await this.#storedTarget(target, owner);
    if (stored === undefined || isFault(stored)) return stored ?? [];
    return [{ verb: "delete", object: stored, policy: keyOf(owner), rule: owner.rule, reason: why }];
  }

  /** The effect on an object that its policy in CEL does not plan, or cannot plan, for the stored trigger. */
  async #withoutPlan(
    target: JsonObject,
    { owner, target: state, changed }: TargetState,
    { isComplete }: StoredPlan,
  ): Promise<Effect | undefined | Fault> {
    if (owner.language === "classic" || changed !== undefined && isComplete) return undefined;
    if (changed === undefined) {
      return await restoration(target, { ...this.#clusterReads, owner, state, onlyReleased: isComplete });
    }
    // Anyone can write a clone's labels. Whoever made an object with the former contents could already read them.
    if (!equal(contentOf(target), contentOf(changed.former))) return undefined;
    const object = replacing(target, keeping(target, copiedOnto(target, changed.source)));
    return {
      verb: "update",
      object,
      policy: keyOf(owner),
      rule: owner.rule,
      reason: "its source has changed",
    };
  }

  /** The stored target, if the stored object itself names the rule: a request may claim that of any object. */
  async #storedTarget(target: JsonObject, owner: OwnerReference): Promise<JsonObject | undefined | Fault> {
    const stored = await this.#stored(target);
    return stored === undefined || isFault(stored) || isSameOwner(stored, owner) ? stored : undefined;
  }

  /** The object as it is stored now. */
  async #stored(object: JsonObject): Promise<JsonObject | undefined | Fault> {
    const reference = referenceTo(object), { apiVersion, kind } = reference;
    const lookup = await this.#read((objects) => objects.get(reference));
    if (isFault(lookup)) return lookup;
    return "object" in lookup ? { apiVersion, kind, ...lookup.object } : undefined;
  }

  async #findTrigger({ trigger }: OwnerReference): Promise<JsonObject | undefined | Fault> {
    return trigger.uid === ""
      ? new Fault(`a generated object does not say which ${trigger.kind} it was made for`)
      : await findByUid(trigger, this.#clusterReads);
  }

  async #plan(
    trigger: JsonObject | undefined,
    owner: OwnerReference,
    { body: { downstream } }: CompiledRule,
  ): Promise<StoredPlan> {
    if (trigger === undefined || downstream?.dependsOnRequest) return { effects: [], isComplete: false };
    const { snapshot, ports } = this.#options;
    const decision = await evaluate(snapshot, existingRequest(trigger), {
      phase: "generate",
      policy: keyOf(owner),
      ports,
      background: {},
    });
    const results = decision.results.flatMap(({ rules }) => rules.filter(({ rule }) => rule === owner.rule));
    return {
      effects: decision.effects.filter((effect) => effect.rule === owner.rule),
      isComplete: results.every(({ result }) => result !== "error"),
    };
  }
}

/** An object without its metadata and status. */
function contentOf({ metadata: _metadata, status: _status, ...content }: JsonObject): JsonObject {
  return content;
}

/** Milliseconds for the reads of one change. */
const readTimeoutMs = 30_000;

/** The reference to an object by its uid: a label cannot hold every name. */
function uidReferenceTo(object: JsonObject): UidReference {
  const { apiVersion, kind, namespace } = referenceTo(object);
  return { apiVersion, kind, namespace, uid: uidOf(object) };
}

function keyOf({ policy: { name, namespace } }: OwnerReference): string {
  return policyKey({ name, namespace });
}
