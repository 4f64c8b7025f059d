import type { CompiledPolicy, Snapshot } from "../engine/mod.ts";
import type { JsonObject, Stages } from "../json/mod.ts";
import { inSlices } from "../slices.ts";
import {
  type Clock,
  type Cluster,
  type Collections,
  type Discovery,
  elapsedOn,
  type Log,
  type Scheduler,
  type ServedResource,
} from "../ports.ts";
import { objectConfigurations } from "./admission/configurations.ts";
import { GeneratedPolicies } from "./admission_policies/generated_policies.ts";
import { type Conversion, conversions } from "./admission_policies/conversions.ts";
import type { DynamicConfiguration } from "./configuration.ts";
import type { Installation } from "./installation.ts";
import { type Kept, ObjectKeeper } from "./object_keeper.ts";
import type { PolicyObject } from "./policy_objects.ts";
import { PolicyStatuses } from "./policy_statuses.ts";
import type { StatusWriter } from "./status_writer.ts";
import { StatusRounds } from "./status_rounds.ts";
import type { Timers } from "./timers.ts";
import { CachedConditions } from "./webhooks/cached_conditions.ts";
import { CachedTargets } from "./webhooks/cached_targets.ts";
import { configurationPaths } from "./webhooks/configuration_kinds.ts";
import { type ResourceConfiguration, resourceConfigurations } from "./webhooks/configurations.ts";
import { policiesWithoutWebhooks, withoutRefused } from "./webhooks/refused_webhooks.ts";

/** The ports and the policies of {@link Enforcer}. */
export interface EnforcerOptions {
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly log: Log;
  readonly installation: Installation;
  /** Lets requests have their turns while webhooks are made; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
  readonly timers: Timers;
  /** Whether this replica writes webhooks and statuses. */
  readonly leads: () => boolean;
  /** Whether the installation is being removed: deleted webhooks are then not written again. */
  readonly isBeingRemoved: () => Promise<boolean>;
  /** The policies in force; `undefined` before the first load. */
  readonly snapshot: () => Snapshot | undefined;
  readonly configuration: () => DynamicConfiguration;
  /** The policy objects, which get statuses. */
  readonly objects: () => readonly PolicyObject[];
  /** Called for each changed admission policy and binding of the cluster. */
  readonly noticed: (object: JsonObject) => void;
}

/** Milliseconds until the API server calls webhooks that were written: it reads configurations through a watch. */
const activationMs = 400;

/** Milliseconds until the next attempt after a failure: each wait is twice as long as the one before. */
const retryDelays = { first: 2_000, most: 30_000 };

/** Milliseconds between two checks whether missing rights were granted. */
const rightsCheckMs = 10_000;

/** Milliseconds between two checks whether another authority signed the serving certificate. */
const authorityCheckMs = 10_000;

/** The webhook configurations that policies need, and the admission policies that are made from them. */
interface WantedObjects {
  /** The configurations about policies and their like. */
  readonly ofObjects: readonly JsonObject[];
  readonly ofResources: readonly ResourceConfiguration[];
  readonly generated: readonly Conversion[];
}

/**
 * Makes the API server call Postern for the policies in force: writes webhook configurations, admission policies, and
 * then the statuses of the policies.
 */
export class Enforcer {
  readonly #options: EnforcerOptions;
  readonly #webhooks: ObjectKeeper;
  readonly #generated: GeneratedPolicies;
  readonly #statuses: PolicyStatuses;
  readonly #statusRounds: StatusRounds;
  readonly #targets = new CachedTargets();
  readonly #conditions = new CachedConditions();
  #isClosed = false;
  #isServing = false;
  #enforcing: Promise<void> = Promise.resolve();
  /** Whether another round is due after the current one. */
  #isRoundDue = false;
  /** The rounds that failed one after another. */
  #failures = 0;
  /** Whether a timer will start a round. */
  #isRoundTimed = false;
  /** The time from which the API server calls all written webhooks, by `elapsedOn`. */
  #activeAt = -Infinity;
  /** The authority in the webhooks that were written last. */
  #authority: string | undefined;

  /** Begins to watch webhook configurations. It writes nothing before {@link serve}. */
  constructor(options: EnforcerOptions) {
    this.#options = options;
    const { cluster, collections, clock, log, leads, isBeingRemoved, installation, timers, noticed } =
      options;
    const { scheduler } = options;
    const after = (milliseconds: number, task: () => void): void => timers.after(milliseconds, task);
    const keeping = { cluster, collections, log, leads, scheduler };
    this.#webhooks = new ObjectKeeper({
      ...keeping,
      kinds: configurationPaths,
      about: "webhook configuration",
      fallback: withoutRefused,
      removal: { isUnderWay: isBeingRemoved, after },
    });
    this.#generated = new GeneratedPolicies({ ...keeping, after, changed: () => this.enforce(), noticed });
    this.#statuses = new PolicyStatuses({
      cluster,
      clock,
      log,
      scheduler,
      leads,
      accounts: installation.accounts,
      retryLater: () => this.#enforceSoon(rightsCheckMs),
    });
    this.#statusRounds = new StatusRounds({
      clock,
      after,
      isNewest: (snapshot) => snapshot === options.snapshot(),
      write: (facts) => this.#statuses.write(options.objects(), facts),
    });
  }

  /** Writes statuses. */
  get statuses(): StatusWriter {
    return this.#statuses.writer;
  }

  /** All admission policies and bindings of the cluster. */
  admissionPolicies(): JsonObject[] {
    return this.#generated.all();
  }

  /** Resolves when the existing webhook configurations and admission policies are listed. */
  async ready(): Promise<void> {
    await Promise.all([this.#webhooks.ready(), this.#followAdmissionPolicies()]);
  }

  /** Allows webhooks: from now on this replica answers. */
  serve(): void {
    this.#isServing = true;
    this.enforce();
    this.#followAuthority();
  }

  /** Writes webhooks and statuses. A call during a round starts one more round after it. */
  enforce(): void {
    if (!this.#isServing || this.#isClosed || this.#options.snapshot() === undefined) return;
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    this.#enforcing = this.#enforcing.then(async () => {
      this.#isRoundDue = false;
      await this.#enforceNow();
    });
  }

  /** Deletes the webhooks, because no replica would answer them. */
  async withdraw(): Promise<void> {
    await this.#webhooks.remove();
  }

  /** Ends the watches. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#webhooks.close(), this.#generated.close()]);
    await this.#enforcing;
  }

  async #followAdmissionPolicies(): Promise<void> {
    const discovered = await this.#options.discovery.resources();
    // Without an answer the next round follows them.
    if (discovered.ok) await this.#generated.follow(discovered.resources);
  }

  /**
   * Writes the webhooks again when the authority changes: the API server rejects a certificate of another authority.
   */
  #followAuthority(): void {
    this.#options.timers.after(authorityCheckMs, () => {
      if (this.#options.installation.caBundle() !== this.#authority) this.enforce();
      this.#followAuthority();
    });
  }

  async #enforceNow(): Promise<void> {
    const { discovery, installation, leads, log, clock, scheduler } = this.#options;
    const snapshot = this.#options.snapshot()!;
    if (!leads() || this.#isClosed) return;
    const discovered = await discovery.resources();
    if (!discovered.ok) {
      log.write("error", "the cluster's resources were not read", { reason: discovered.message });
      this.#enforceAgain();
      return;
    }
    this.#authority = installation.caBundle();
    await this.#generated.follow(discovered.resources);
    const { ofObjects, ofResources, generated } = await inSlices(
      this.#wanted(snapshot, discovered.resources),
      scheduler,
    );
    if (!leads() || this.#isClosed) return;
    const kept = await this.#webhooks.keep([...ofObjects, ...ofResources.map(({ object }) => object)]);
    if (kept.some(({ state }) => state === "failed")) this.#enforceAgain();
    else this.#failures = 0;
    const configured = kept.slice(0, ofObjects.length).every(({ state }) => state !== "failed");
    const unconfigured = new Set(
      ofResources.flatMap((each, index) => policiesWithoutWebhooks(each, kept[ofObjects.length + index]!)),
    );
    if (kept.some(isChanged)) this.#activeAt = elapsedOn(clock) + activationMs;
    const made = await this.#generated.write(generated);
    // A user who reads that a policy is ready expects that it is evaluated.
    this.#statusRounds.add(
      { snapshot, configured, unconfigured, generated: made, served: discovered.resources },
      this.#activeAt,
    );
  }

  /** The objects that the policies need, in stages: thousands of policies take a second. */
  *#wanted(snapshot: Snapshot, served: readonly ServedResource[]): Stages<WantedObjects> {
    const generated = yield* conversions(snapshot, served);
    const enforced = new Set<CompiledPolicy>();
    for (const each of generated) {
      if (this.#generated.isEnforced(each)) enforced.add(each.compiled);
      yield;
    }
    const authority = this.#authority;
    const installation = { ...this.#options.installation, caBundle: () => authority };
    const { webhooks: settings, filters } = this.#options.configuration();
    const ofResources = yield* resourceConfigurations({
      // The API server needs no webhook for policies that it enforces itself.
      policies: snapshot.policies.filter((compiled) => !enforced.has(compiled)),
      served,
      targetsOf: this.#targets.among(served),
      conditionsOf: this.#conditions.of,
      installation,
      settings,
      filters,
    });
    return { ofObjects: objectConfigurations(installation), ofResources, generated };
  }

  #enforceAgain(): void {
    this.#enforceSoon(Math.min(retryDelays.first * 2 ** this.#failures++, retryDelays.most));
  }

  /** Starts one round after a wait, for all calls during the wait. */
  #enforceSoon(milliseconds: number): void {
    if (this.#isRoundTimed) return;
    this.#isRoundTimed = true;
    this.#options.timers.after(milliseconds, () => {
      this.#isRoundTimed = false;
      this.enforce();
    });
  }
}

/** Whether the cluster has another configuration than before. */
function isChanged(kept: Kept): boolean {
  return kept.state === "failed" ? kept.instead !== undefined : kept.state === "written";
}
