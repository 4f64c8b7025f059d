import {
  type Effect,
  evaluate,
  type PolicyResult,
  type Snapshot,
  withdrawsOnDeletion,
} from "../engine/mod.ts";
import { dig, type Fault, isFault, type JsonObject } from "../json/mod.ts";
import {
  createdAt,
  formatApiVersion,
  nameOf,
  namespaceOf,
  objectIdentity,
  objectText,
  parseApiVersion,
  typeOf,
  uidOf,
} from "../kube/mod.ts";
import type { Cluster, Log, Ports } from "../ports.ts";
import { isMadeBy, madeLabels, ownerOf, sourceOf } from "../rules/mod.ts";
import { carryOut } from "./carry_out.ts";
import { makerOf } from "./downstream_rules.ts";
import { existingRequest } from "./existing_request.ts";
import { passingOver } from "./existing_triggers.ts";
import { findMissing, type UidReference } from "./find_by_uid.ts";
import { listObjects } from "./list_objects.ts";
import { type MadeObject, MadeObjects } from "./made_objects.ts";
import { type RuleInForce, writtenRule } from "./rules_in_force.ts";
import { triggerKinds } from "./trigger_kinds.ts";

/** The policies and ports with which {@link sweepRule} compares the cluster with a rule. */
export interface SweepOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
  readonly log: Log;
  /** Whether the worker evaluates the triggers at this time: the sweep then leaves it to make and correct objects. */
  readonly isEvaluated?: boolean;
  /** Aborted when the sweep must end early: this replica no longer leads, or stops. */
  readonly signal: AbortSignal;
}

/**
 * Brings the downstream of a synchronizing generate rule into step with the cluster: changes that were missed while
 * no replica ran or had room, and changes of the rule. It reads
 *
 * - the objects that the rule generated: it deletes those whose trigger or source is gone, or whose trigger does not
 *   match any more;
 * - the triggers that the rule must act for: those with generated objects, those that are younger than the rule, and
 *   all of them if the rule generates for existing objects. It creates what is missing and corrects what differs.
 *
 * A fault says what could not be read; nothing is deleted then.
 */
export async function sweepRule(rule: RuleInForce, options: SweepOptions): Promise<Fault | undefined> {
  return rule.rule.body.downstream?.synchronize === true
    ? await new RuleSweep(rule, options).run()
    : undefined;
}

class RuleSweep {
  readonly #rule: RuleInForce;
  readonly #options: SweepOptions;
  readonly #clusterReads: { readonly cluster: Cluster; readonly signal: AbortSignal };
  readonly #isPassedOver: ReturnType<typeof passingOver>;
  readonly #choosesByObject: boolean;
  /** The objects that the rule generated, by the uid of the trigger. */
  #made: ReadonlyMap<string, MadeObject[]> = new Map();
  /** The uids of sources that are gone. */
  readonly #lost = new Set<string>();

  constructor(rule: RuleInForce, options: SweepOptions) {
    this.#rule = rule;
    this.#options = options;
    this.#clusterReads = { cluster: options.ports.cluster, signal: options.signal };
    this.#isPassedOver = passingOver(rule);
    this.#choosesByObject = choosesByObject(rule.policy.document, rule.rule.rule.name);
  }

  async run(): Promise<Fault | undefined> {
    // Lists the generated objects before the triggers: the sweep then does not miss a trigger that is created in
    // between.
    const fault = await this.#listMade() ?? await this.#findLostSources();
    if (fault !== undefined) return fault;
    const { policy, rule, since } = this.#rule;
    const seen = new Set<string>();
    for (const type of triggerKinds(rule).kinds) {
      const namespace = policy.namespace ?? "";
      for await (const trigger of listObjects({ ...type, namespace }, this.#clusterReads)) {
        if (isFault(trigger)) return trigger;
        const uid = uidOf(trigger);
        seen.add(uid);
        const made = this.#made.get(uid);
        const isWaiting = rule.body.appliesToExisting === true || createdAt(trigger) >= since;
        const isDue = made !== undefined || isWaiting && !this.#isPassedOver(trigger);
        if (isDue) await this.#keepInStep(trigger, made ?? []);
        if (this.#options.signal.aborted) return undefined;
      }
    }
    return await this.#removeAbandoned(seen);
  }

  async #listMade(): Promise<Fault | undefined> {
    const { policy, rule } = this.#rule;
    const maker = makerOf(policy, rule), labels = madeLabels(maker), found = new MadeObjects();
    for (const type of rule.body.downstream?.types ?? []) {
      for await (const object of listObjects({ ...type, namespace: "", labels }, this.#clusterReads)) {
        if (isFault(object)) return object;
        const owner = ownerOf(object);
        if (owner === undefined || owner.trigger.uid === "" || !isMadeBy(object, maker)) continue;
        found.add({ object: identityOf(object), trigger: owner.trigger, source: sourceOfClone(object) });
      }
    }
    this.#made = found.byTrigger();
    if (found.leftOut.size > 0) {
      this.#options.log.write(
        "warn",
        "too many objects have the labels of a rule: remove them from others",
        {
          policy: policy.key,
          rule: rule.rule.name,
          namespaces: [...found.leftOut].slice(0, 3).join(", "),
        },
      );
    }
    return undefined;
  }

  async #findLostSources(): Promise<Fault | undefined> {
    const sources = [...this.#made.values()].flat().flatMap(({ source }) => source ?? []);
    for (const each of byKind(sources)) {
      const missing = await findMissing(each, this.#clusterReads);
      if (isFault(missing)) return missing;
      for (const uid of missing) this.#lost.add(uid);
    }
    return undefined;
  }

  async #keepInStep(trigger: JsonObject, made: readonly MadeObject[]): Promise<void> {
    const isLost = ({ source }: MadeObject): boolean => source !== undefined && this.#lost.has(source.uid);
    // Without the request of its trigger the rule may generate something else than it generated.
    if (this.#rule.rule.body.downstream?.dependsOnRequest) {
      return await this.#remove(made.filter(isLost), "its source is gone");
    }
    const { snapshot, ports, signal } = this.#options;
    const { policy, rule } = this.#rule;
    const decision = await evaluate(snapshot, existingRequest(trigger), {
      phase: "generate",
      policy: policy.key,
      ports,
      background: {},
      deadline: () => signal,
    });
    if (signal.aborted) return;
    const effects = decision.effects.filter((effect) => effect.rule === rule.rule.name);
    if (this.#options.isEvaluated !== true) { for (const effect of effects) await this.#perform(effect); }
    const isAbout = verdictOf(decision.results, rule.rule.name) === "applies" ||
      !this.#choosesByObject;
    if (!isAbout) return await this.#remove(made, "its trigger no longer matches");
    const wanted = new Set(effects.map(({ object }) => objectIdentity(object)));
    const unwanted = made.filter(({ object }) => !wanted.has(objectIdentity(object)));
    await this.#remove(unwanted.filter(isLost), "its source is gone");
    // Kyverno parity: a policy in CEL says all that is made for a trigger, a rule leaves what it made under another
    // name. Pinned by "an object that a GeneratingPolicy makes under another name replaces the former one".
    if (policy.language === "classic" || !hasPassed(decision.results)) return;
    await this.#remove(unwanted.filter((each) => !isLost(each)), "its policy makes it no longer");
  }

  async #removeAbandoned(seen: ReadonlySet<string>): Promise<Fault | undefined> {
    if (!withdrawsOnDeletion(this.#rule.rule)) return undefined;
    const unseen = [...this.#made].flatMap(([uid, [made]]) => seen.has(uid) ? [] : made!.trigger);
    let fault: Fault | undefined;
    for (const triggers of this.#ofLikelyKinds(byKind(unseen))) {
      const missing = await findMissing(triggers, this.#clusterReads);
      if (isFault(missing)) fault ??= missing;
      else for (const uid of missing) await this.#remove(this.#made.get(uid)!, "its trigger is gone");
    }
    return fault;
  }

  /** The triggers of the kinds that the rule names, then those of a few former kinds: labels may name any number. */
  #ofLikelyKinds(triggers: readonly (readonly UidReference[])[]): readonly (readonly UidReference[])[] {
    const kinds = new Set(triggerKinds(this.#rule.rule).kinds.map(kindOf));
    const { named = [], former = [] } = Object.groupBy(
      triggers,
      ([first]) => kinds.has(kindOf(first!)) ? "named" : "former",
    );
    return [...named, ...former.slice(0, mostFormerKinds)];
  }

  async #remove(made: readonly MadeObject[], reason: string): Promise<void> {
    const { policy, rule } = this.#rule;
    for (const { object } of made) {
      await this.#perform({ verb: "delete", object, policy: policy.key, rule: rule.rule.name, reason });
    }
  }

  async #perform(effect: Effect): Promise<void> {
    const { ports, log, signal } = this.#options;
    if (signal.aborted) return;
    const { verb, policy, rule, reason } = effect;
    const carried = await carryOut(effect, ports.cluster, signal);
    const fields = { policy, rule, reason, object: objectText(effect.object) };
    if (!carried.done) log.write("warn", "effect failed", { ...fields, cause: carried.message });
    else if (carried.changed) {
      log.write("info", `effect: ${verb}`, { ...fields, found: "by a look at the cluster" });
    }
  }
}

/** The former kinds of triggers of a rule that a comparison lists. */
const mostFormerKinds = 8;

function kindOf({ apiVersion, kind }: Pick<UidReference, "apiVersion" | "kind">): string {
  return `${parseApiVersion(apiVersion).group}/${kind}`;
}

/** The source of a clone, which is of the kind of the clone: labels that name another kind are forged. */
function sourceOfClone(clone: JsonObject): UidReference | undefined {
  const source = sourceOf(clone), { group, version, kind } = typeOf(clone);
  if (source === undefined || kindOf(source) !== `${group}/${kind}`) return undefined;
  return { ...source, apiVersion: formatApiVersion({ group, version }) };
}

/** The triggers of each kind. A kind whose triggers are in several namespaces is listed in all, with one list. */
function byKind(triggers: readonly UidReference[]): readonly (readonly UidReference[])[] {
  const kinds = Map.groupBy(triggers, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  return [...kinds.values()].map((each) => {
    const isOneNamespace = new Set(each.map(({ namespace }) => namespace)).size === 1;
    return isOneNamespace ? each : each.map((trigger) => ({ ...trigger, namespace: "" }));
  });
}

/**
 * Whether a rule applied to an object. A rule without a result, or with preconditions that do not hold, does not
 * match it.
 */
function verdictOf(results: readonly PolicyResult[], rule: string): "applies" | "does not match" {
  const found = results.flatMap(({ rules }) => rules.filter((each) => each.rule === rule));
  const passedOver = found.every((each) => each.result === "skip" && each.exceptions === undefined);
  return passedOver ? "does not match" : "applies";
}

/**
 * Whether the rule selects by the object alone. The user of the request is unknown for an existing object, so rules
 * that read it cannot be evaluated again.
 */
function choosesByObject(document: JsonObject, rule: string): boolean {
  if (dig(document, "spec", "webhookConfiguration", "matchConditions") !== undefined) return false;
  const { generate: _, ...choosing } = writtenRule(document, rule);
  const text = JSON.stringify(choosing);
  return !/"(?:subjects|roles|clusterRoles|operations|context)":|userInfo|serviceAccountN|operation|oldObject/
    .test(text);
}

function hasPassed(results: readonly PolicyResult[]): boolean {
  const all = results.flatMap(({ rules }) => rules);
  return all.length > 0 && all.every(({ result }) => result === "pass");
}

function identityOf(object: JsonObject): JsonObject {
  const { apiVersion = "", kind = "" } = object;
  const uid = dig(object, "metadata", "uid") ?? "";
  return { apiVersion, kind, metadata: { name: nameOf(object), namespace: namespaceOf(object), uid } };
}
