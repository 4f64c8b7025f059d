import type { EffectsResult } from "../background/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { readsImages, type Snapshot } from "../engine/mod.ts";
import type { WebhookRegistration } from "../install/mod.ts";
import type { Log, Ports } from "../ports.ts";
import type { AppOptions, ClusterMetrics, Metrics } from "../server/mod.ts";
import { FileSource, FollowedPolicies } from "../sources/mod.ts";
import { PolicyBudget } from "../policy/mod.ts";
import type { GateOptions } from "./gate_options.ts";
import { mostWeight } from "../heap/mod.ts";
import type { LateBackground } from "./late_background.ts";
import type { LiveGate } from "./live_gate.ts";
import type { OpenPorts } from "../open_ports/mod.ts";

/** The parts of a gate that are notified when policies come into force. */
export interface PolicyFollowers {
  readonly background: LateBackground;
  readonly metrics: Metrics;
  readonly clusterMetrics: ClusterMetrics;
  readonly ports: Ports;
  readonly log: Log;
  /** Loads what reads image registries. */
  readonly prepareImages: () => void;
}

/** The codes of paths that cannot be read: a server without the policies of a named path would admit everything. */
const unreadable: ReadonlySet<string> = new Set(["missing-file", "unreadable-file"]);

/** The policies in force: those of files, or, once they are followed, those of the cluster with them. */
export class PoliciesInForce {
  readonly #options: GateOptions;
  readonly #followers: PolicyFollowers;
  readonly #files: FollowedPolicies;
  #live: LiveGate | undefined;
  #registration: WebhookRegistration | undefined;
  /** The problem of a named path that does not exist or cannot be read. */
  #unreadPath: Diagnostic | undefined;
  /** The checksum of the files. */
  #checksum = "";
  readonly #stop = new AbortController();

  constructor(options: GateOptions, followers: PolicyFollowers) {
    this.#options = options;
    this.#followers = followers;
    const { dialect, serveAdmissionPolicies, ignoreFailures } = options;
    this.#files = new FollowedPolicies({
      source: new FileSource(options.policies),
      scheduler: followers.ports.scheduler,
      compiling: {
        dialect,
        ignoreFailures,
        budget: new PolicyBudget(mostWeight()),
        admissionPolicies: serveAdmissionPolicies ? "served" : "leftToApiServer",
      },
      loaded: (policies) => {
        this.#unreadPath ??= policies.diagnostics.find(({ code, position }) =>
          unreadable.has(code) && options.policies.includes(position?.file ?? "")
        );
        this.#checksum = policies.checksum;
        options.loaded(policies);
        if (options.live === undefined) this.#cameIntoForce(policies.snapshot);
        else this.#live?.refresh();
      },
    });
  }

  /**
   * All policies; `undefined` before they are loaded. When the cluster is followed, those of files are not all: a
   * replica that took them for all would be ready, and admit what the cluster's policies forbid.
   */
  snapshot(): Snapshot | undefined {
    return this.#options.live === undefined ? this.#files.snapshot : this.#live?.snapshot;
  }

  /**
   * The snapshots and routes for the app's paths: policies of other kinds have separate webhooks when the cluster is
   * followed.
   */
  get paths(): Pick<AppOptions, "snapshot" | "routes" | "filters" | "decided"> {
    const unfiltered = {};
    return {
      filters: () => this.#live?.paths.filters() ?? unfiltered,
      snapshot: () => this.#options.live === undefined ? this.snapshot() : this.#live?.paths.snapshot(),
      routes: (path) => this.#live?.paths.routes(path),
      decided: (decision, request) => this.#live?.decided(decision, request),
    };
  }

  /** The number of evaluations of background scans so far. */
  get scanEvaluations(): number {
    return this.#live?.scanEvaluations ?? 0;
  }

  /** Reads the files at the start. A text says which named path cannot be read, and why. */
  async begin(): Promise<string | undefined> {
    await this.#files.load();
    if (this.#unreadPath === undefined) return undefined;
    const { position, message } = this.#unreadPath;
    return `--policies ${position?.file}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  }

  /** Reads the files again. */
  async load(): Promise<void> {
    await this.#files.load();
  }

  /**
   * Follows changes of the files, and of the cluster's policies if that is configured; webhooks follow the policies.
   */
  async follow(
    watching: OpenPorts["watching"],
    listener: { readonly caBundle: string | undefined },
  ): Promise<void> {
    const { live: setting, dialect } = this.#options;
    await this.#register(listener);
    if (setting !== undefined && watching !== undefined) {
      const { ports, log, background, metrics, clusterMetrics } = this.#followers;
      // A server of files needs none of this code, which is an eighth of all modules.
      const { LiveGate } = await import("./live_gate.ts");
      const { untilReachable } = await import("../install/mod.ts");
      this.#live = new LiveGate({
        watching,
        installation: { ...setting.installation, caBundle: () => listener.caBundle },
        setting,
        dialect,
        ports,
        log,
        metrics,
        clusterMetrics,
        files: () => this.#files.documents,
        cameIntoForce: (snapshot) => this.#cameIntoForce(snapshot),
        leads: () => background.leads,
        work: (request, scope) => background.add(request, scope),
      });
      background.joinElection();
      const { lease: service } = this.#options;
      const { signal } = this.#stop;
      await this.#live.start(untilReachable({ cluster: ports.cluster, log, service, signal }));
    }
    this.#files.watch();
  }

  /** Notes that this replica leads now: the former leader's unfinished work is looked up. */
  elected(): void {
    this.#live?.refresh();
  }

  /** Receives the result of a request's effects. True when an UpdateRequest keeps those that failed. */
  effectsTried(effects: EffectsResult): boolean {
    return this.#live?.effectsTried(effects) ?? false;
  }

  /** Registers webhooks for the policies of files, if the installation has configurations for them. */
  async #register(listener: { readonly caBundle: string | undefined }): Promise<void> {
    const { registration, secretPath } = this.#options;
    if (registration === undefined) return;
    const { ports, log } = this.#followers;
    const { WebhookRegistration } = await import("../install/mod.ts");
    this.#registration = new WebhookRegistration({
      ...registration,
      secretPath,
      cluster: ports.cluster,
      log,
      snapshot: () => this.#files.snapshot,
      caBundle: () => listener.caBundle,
    });
    this.#registration.begin();
  }

  /** Stops following. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#files.close();
    await this.#registration?.close();
    await this.#live?.close();
  }

  #cameIntoForce(after: Snapshot): void {
    const { background, metrics, log, prepareImages, ports: { scheduler } } = this.#followers;
    void metrics.loadedInSlices(after, { checksum: this.#checksum, scheduler });
    if (readsImages(after)) prepareImages();
    if (after.leftOut.length > 0) {
      log.write("error", "policies are left out: all together take too much memory", {
        documents: after.leftOut.length,
      });
    }
    log.write("info", "policies in force", {
      policies: after.policies.length,
      broken: after.policies.filter(({ broken }) => broken !== undefined).map(({ policy }) => policy.key),
      checksum: this.#checksum,
    });
    void this.#registration?.policiesChanged();
    background.loaded(after);
  }
}
