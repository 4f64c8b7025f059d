import { systemClock } from "../adapters/mod.ts";
import type { Decision, PolicyRequest, Snapshot } from "../engine/mod.ts";
import {
  AdmissionReports,
  Cleaner,
  decisionEvents,
  type EffectContext,
  effectEvents,
  effectRows,
  entryStatus,
  EventWriter,
  Expirer,
  type Installation,
  isLasting,
  isReportedPolicy,
  LivePolicies,
  type LiveSetting,
  ObjectReviews,
  type PolicyEvent,
  ReportStore,
  rowsOf,
  Scanner,
  Uninstallation,
  unscannedResults,
  UpdateRequests,
  WebhookRoutes,
} from "../live/mod.ts";
import type { BackgroundWork, EffectsResult } from "../background/mod.ts";
import { asString, type JsonObject } from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Log, Ports, ServedResource } from "../ports.ts";
import type { AppOptions, ClusterMetrics, Metrics } from "../server/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { PolicyBudget } from "../policy/mod.ts";
import { mostWeight } from "../heap/mod.ts";
import type { OpenPorts } from "../open_ports/mod.ts";

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

/** Follows the policies of a cluster: their webhooks, statuses, reviews, reports and events. */
export class LiveGate {
  readonly #policies: LivePolicies;
  readonly #reviews: ObjectReviews;
  readonly #routes: WebhookRoutes;
  readonly #reports: ReportStore;
  readonly #admissionReports: AdmissionReports;
  readonly #scanner: Scanner;
  readonly #events: EventWriter;
  readonly #uninstallation: Uninstallation;
  readonly #updateRequests: UpdateRequests;
  readonly #cleaner: Cleaner;
  readonly #expirer: Expirer;
  readonly #metrics: Metrics;
  readonly #clusterMetrics: ClusterMetrics;
  readonly #clock = systemClock();

  constructor(options: LiveGateOptions) {
    const { watching, installation, dialect, ports, log, files, cameIntoForce, leads, setting } = options;
    this.#metrics = options.metrics;
    this.#clusterMetrics = options.clusterMetrics;
    const { exceptionNamespace, ignoreFailures } = setting, { accounts } = installation;
    const compiling = { dialect, ignoreFailures, budget: new PolicyBudget(mostWeight()) };
    const { cluster, scheduler } = ports, shared = { ...watching, cluster, scheduler, log, leads };
    const reading = { ...shared, compiling, exceptionNamespace };
    this.#policies = new LivePolicies({
      ...reading,
      clock: this.#clock,
      installation,
      isBeingRemoved: () => this.#uninstallation.isUnderWay(),
      files,
      kindsChanged: () => this.#scanner.kindsChanged(),
      loaded: (snapshot) => {
        cameIntoForce(snapshot);
        this.#follow(snapshot, options);
      },
    });
    this.#uninstallation = new Uninstallation(ports.cluster, installation);
    this.#routes = new WebhookRoutes(() => this.snapshot);
    const existing = this.#policies, { roomProblem } = existing;
    this.#reviews = new ObjectReviews({ ...reading, accounts, existing, roomProblem });
    this.#reports = new ReportStore({
      ...shared,
      kind: setting.reports,
      results: setting.reportedResults,
      isLasting: (row) => this.snapshot !== undefined && isLasting(row, this.snapshot),
      missed: () => this.#scanner.missed(),
    });
    this.#admissionReports = new AdmissionReports({ ...shared, clock: this.#clock, store: this.#reports });
    const resourceFilters = (): string | undefined => this.#policies.configuration.filters.resourceFilters;
    this.#scanner = new Scanner({
      ...shared,
      ports,
      store: this.#reports,
      resourceFilters,
      evaluated: (decision, request) => this.#metrics.decided(decision, request, "background_scan"),
      found: (decision, request) => this.#scanned(decision, request),
    });
    this.#events = new EventWriter({
      ...shared,
      clock: this.#clock,
      omitted: setting.omittedEvents,
      successActions: () => this.#policies.configuration.successEventActions,
    });
    this.#updateRequests = new UpdateRequests({
      ...shared,
      clock: this.#clock,
      namespace: installation.namespace,
      work: options.work,
    });
    const account = accounts.cleanup, { statuses } = this.#policies;
    const events = (events: readonly PolicyEvent[]): void => this.#cleaned(events);
    this.#cleaner = new Cleaner({ ...shared, ports, compiling, account, statuses, events, resourceFilters });
    const every = setting.lookForExpired, deleted = (resource: ServedResource) => this.#expired(resource);
    this.#expirer = new Expirer({ ...shared, clock: this.#clock, account, every, deleted });
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
    return this.#scanner.evaluations;
  }

  /** Receives a decision, for events and reports. */
  decided(decision: Decision, request: PolicyRequest): void {
    if (request.dryRun) return;
    this.#events.add(decisionEvents(decision, { ...this.#eventContext, request, by: "admission" }));
    const { object, subresource } = request;
    // Nothing is reported about what was denied.
    if (!decision.allowed || object === undefined || subresource !== "") return;
    const results = unscannedResults(decision, this.snapshot);
    if (results.length > 0) this.#admissionReports.add(object, rowsOf(results, object, this.#clock.now()));
  }

  /** Receives the events of cleanup policies. */
  #cleaned(events: readonly PolicyEvent[]): void {
    this.#events.add(events);
    for (const { action, regarding } of events) {
      if (action === "Resource Cleaned Up") this.#clusterMetrics.cleanedUp(identityOf(regarding));
    }
  }

  #expired({ group, plural }: ServedResource): void {
    this.#clusterMetrics.expired(group, plural);
  }

  /** Writes the events of a scan's decision. */
  #scanned(decision: Decision, request: PolicyRequest): void {
    this.#events.add(
      decisionEvents(decision, { ...this.#eventContext, request, by: "scan" }),
    );
  }

  /** Receives the result of effects on other objects. True when an UpdateRequest keeps those that failed. */
  effectsTried(effects: EffectsResult): boolean {
    this.#events.add(effectEvents(effects, this.#eventContext));
    const isKept = this.#updateRequests.effectsTried(effects);
    const { snapshot } = this;
    if (snapshot === undefined) return isKept;
    const reported = {
      ...effects,
      results: effects.results.filter((each) => isReportedPolicy(each, snapshot)),
    };
    for (const { object, rows } of effectRows(reported, this.#clock.now())) {
      this.#admissionReports.add(object, rows);
    }
    return isKept;
  }

  /** Passes the new policies to all parts that follow them. */
  #follow(snapshot: Snapshot, { watching, leads }: LiveGateOptions): void {
    this.#scanner.policiesChanged(snapshot);
    this.#cleaner.policies(this.#policies.cleanupPolicies(), snapshot.others);
    const keys = new Set(snapshot.policies.map(({ policy }) => policy.key));
    this.#updateRequests.policiesChanged((key) => keys.has(key));
    const found = this.#policies.globalContextEntries();
    watching.entries.define(found.map(({ object }) => object), (state) => {
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
    this.#clusterMetrics.follow({
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
    this.#cleaner.close();
    this.#expirer.close();
    await this.#updateRequests.close();
    // Writes of reports do not wait any more for an API server that does not take them.
    await this.#reports.close();
    await this.#admissionReports.close();
    await this.#policies.close();
    await this.#scanner.close();
    await this.#events.drain();
  }
}

/** The identity of a policy in an event's reference. */
function identityOf(
  { name = "", namespace }: JsonObject,
): { readonly name: string; readonly namespace: string | undefined } {
  return { name: asString(name) ?? "", namespace: asString(namespace) };
}
