import { systemClock } from "../adapters/mod.ts";
import type { CompileOptions, Decision, PolicyRequest, Snapshot } from "../engine/mod.ts";
import {
  decisionEvents,
  type EffectContext,
  effectEvents,
  entryStatus,
  EventWriter,
  type Installation,
  LivePolicies,
  type LiveSetting,
  ObjectReviews,
  Uninstallation,
  UpdateRequests,
  WebhookRoutes,
} from "../live/mod.ts";
import type { BackgroundWork, EffectsResult } from "../background/mod.ts";
import { nameOf } from "../kube/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Log, Ports } from "../ports.ts";
import type { AppOptions, ClusterMetrics, Metrics } from "../server/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { PolicyBudget } from "../policy/mod.ts";
import { mostWeight } from "../heap/mod.ts";
import type { OpenPorts } from "../open_ports/mod.ts";
import { LiveCleanup } from "./live_cleanup.ts";
import { LiveReports } from "./live_reports.ts";

/** The ports and listeners of a {@link LiveGate}. */
export interface LiveGateOptions {
  readonly watching: NonNullable<OpenPorts["watching"]>;
  readonly installation: Installation;
  readonly dialect: Dialect;
  readonly ports: Ports;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clusterMetrics: ClusterMetrics;
  /** Returns the policies from files, which win over objects of the same name. */
  readonly files: () => readonly YamlDocument[];
  readonly cameIntoForce: (snapshot: Snapshot) => void;
  /** Whether this replica writes to the cluster. */
  readonly leads: () => boolean;
  /** Carries out a rule's effects for an object. */
  readonly work: BackgroundWork["worker"]["add"];
  readonly setting: LiveSetting;
}

/** Follows the policies of a cluster: their webhooks, statuses, reviews, reports, cleanups and events. */
export class LiveGate {
  readonly #options: LiveGateOptions;
  readonly #policies: LivePolicies;
  readonly #reviews: ObjectReviews;
  readonly #routes: WebhookRoutes;
  readonly #reports: LiveReports;
  readonly #cleanup: LiveCleanup;
  readonly #events: EventWriter;
  readonly #updateRequests: UpdateRequests;
  readonly #uninstallation: Uninstallation;

  constructor(options: LiveGateOptions) {
    this.#options = options;
    const { watching, installation, ports, log, leads, setting, metrics, work } = options;
    const { cluster, scheduler } = ports, { accounts, namespace } = installation, clock = systemClock();
    const compiling = compileOptions(options), { exceptionNamespace } = setting;
    const shared = { ...watching, cluster, scheduler, log, leads, clock };
    const reading = { ...shared, compiling, exceptionNamespace };
    this.#uninstallation = new Uninstallation(cluster, installation);
    const policies = this.#policies = new LivePolicies({
      ...reading,
      installation,
      isBeingRemoved: () => this.#uninstallation.isUnderWay(),
      files: options.files,
      kindsChanged: () => this.#reports.kindsChanged(),
      loaded: (snapshot) => this.#loaded(snapshot),
    });
    this.#routes = new WebhookRoutes(() => this.snapshot);
    const { roomProblem, statuses } = policies;
    this.#reviews = new ObjectReviews({ ...reading, accounts, existing: policies, roomProblem });
    const resourceFilters = (): string | undefined => policies.configuration.filters.resourceFilters;
    this.#reports = new LiveReports({
      ...options,
      clock,
      snapshot: () => this.snapshot,
      resourceFilters,
      evaluated: (decision, request) => metrics.decided(decision, request, "background_scan"),
      found: (decision, request) => this.#addDecisionEvents(decision, request, "scan"),
    });
    this.#events = new EventWriter({
      ...shared,
      omitted: setting.omittedEvents,
      successActions: () => policies.configuration.successEventActions,
    });
    this.#updateRequests = new UpdateRequests({ ...shared, namespace, work });
    this.#cleanup = new LiveCleanup({
      ...shared,
      ports,
      compiling,
      account: accounts.cleanup,
      statuses,
      resourceFilters,
      metrics: options.clusterMetrics,
      lookForExpired: setting.lookForExpired,
      events: (events) => this.#events.add(events),
    });
  }

  /** The policies in force. */
  get snapshot(): Snapshot | undefined {
    return this.#policies.snapshot;
  }

  /** The snapshots and routes for the app's paths. */
  get paths(): Required<Pick<AppOptions, "snapshot" | "routes" | "filters">> {
    return {
      filters: () => this.#policies.configuration.filters,
      snapshot: () => this.#routes.classic(),
      routes: (path) => {
        const respond = this.#reviews.find(path);
        return respond === undefined ? this.#routes.find(path) : { respond };
      },
    };
  }

  /** The number of evaluations of background scans so far. */
  get scanEvaluations(): number {
    return this.#reports.evaluations;
  }

  /** Receives a decision, for events and reports. */
  decided(decision: Decision, request: PolicyRequest): void {
    if (request.dryRun) return;
    this.#addDecisionEvents(decision, request, "admission");
    this.#reports.decided(decision, request);
  }

  #addDecisionEvents(decision: Decision, request: PolicyRequest, by: "admission" | "scan"): void {
    this.#events.add(decisionEvents(decision, { ...this.#eventContext, request, by }));
  }

  /** Receives the result of effects on other objects. True when an UpdateRequest keeps those that failed. */
  effectsTried(effects: EffectsResult): boolean {
    this.#events.add(effectEvents(effects, this.#eventContext));
    const isKept = this.#updateRequests.effectsTried(effects);
    this.#reports.effectsTried(effects);
    return isKept;
  }

  /** Passes the new policies to all parts that follow them. */
  #loaded(snapshot: Snapshot): void {
    this.#options.cameIntoForce(snapshot);
    this.#reports.policiesChanged(snapshot);
    this.#cleanup.policiesChanged(this.#policies.cleanupPolicies(), snapshot);
    const keys = new Set(snapshot.policies.map(({ policy }) => policy.key));
    this.#updateRequests.policiesChanged((key) => keys.has(key));
    this.#defineGlobalEntries();
  }

  /** Puts the GlobalContextEntries in force; the leader writes their statuses. */
  #defineGlobalEntries(): void {
    const { watching, leads } = this.#options;
    const objects = this.#policies.globalContextEntries().map(({ object }) => object);
    watching.entries.define(objects, (state) => {
      const entry = this.#policies.globalContextEntries()
        .find(({ object }) => nameOf(object) === nameOf(state.object));
      if (entry === undefined || !leads()) return;
      void this.#policies.statuses.write(entry.kind, entry.object, entryStatus(state));
    });
  }

  get #eventContext(): EffectContext {
    return {
      policyObject: (kind, key) => this.#policies.policyObject(kind, key),
      exceptionObject: (role, key) => this.#policies.exceptionObject(role, key),
      successes: this.#policies.configuration.generateSuccessEvents,
    };
  }

  /** Puts the policies in force, and enables the webhooks as soon as a replica can be reached. */
  async start(reachable: Promise<boolean>): Promise<void> {
    await Promise.all([this.#policies.start(), this.#uninstallation.begin()]);
    void reachable.then((isReachable) => isReachable && this.#policies.serve());
    this.#options.clusterMetrics.follow({
      updateRequests: () => this.#updateRequests.stored,
      droppedEvents: () => this.#events.dropped,
    });
  }

  /** Refreshes everything: after files changed, or when this replica became the leader. */
  refresh(): void {
    this.#policies.refresh();
    this.#updateRequests.elected();
  }

  /** Closes everything. The webhooks are removed with the installation, because nobody could answer them. */
  async close(): Promise<void> {
    if (await this.#uninstallation.isUnderWay()) await this.#policies.withdraw();
    this.#cleanup.close();
    await this.#updateRequests.close();
    await this.#reports.closeReports();
    await this.#policies.close();
    await this.#reports.closeScans();
    await this.#events.drain();
  }
}

/** The options with which policies of the cluster are compiled, and those in reviews of them. */
function compileOptions({ dialect, setting }: LiveGateOptions): CompileOptions {
  return { dialect, ignoreFailures: setting.ignoreFailures, budget: new PolicyBudget(mostWeight()) };
}
