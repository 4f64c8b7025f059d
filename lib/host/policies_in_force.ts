import type { BackgroundWork } from "../background/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Snapshot } from "../engine/mod.ts";
import type { Log, Ports } from "../ports.ts";
import type { AppOptions, Metrics } from "../server/mod.ts";
import { FileSource, FollowedPolicies } from "../sources/mod.ts";
import type { GateOptions } from "./gate_options.ts";
import { LiveGate } from "./live_gate.ts";
import type { OpenPorts } from "./ports.ts";

/** What hears of policies that come into force. */
export interface PolicyFollowers {
  readonly background: BackgroundWork;
  readonly metrics: Metrics;
  readonly ports: Ports;
  readonly log: Log;
}

/** The policies in force: those of files, or, once they are followed, those of the cluster with them. */
export class PoliciesInForce {
  readonly #options: GateOptions;
  readonly #followers: PolicyFollowers;
  readonly #files: FollowedPolicies;
  #live: LiveGate | undefined;
  /** A path that was named and is not there. */
  #missing: Diagnostic | undefined;

  constructor(options: GateOptions, followers: PolicyFollowers) {
    this.#options = options;
    this.#followers = followers;
    const { dialect, serveAdmissionPolicies } = options;
    this.#files = new FollowedPolicies({
      source: new FileSource(options.policies),
      compiling: { dialect, admissionPolicies: serveAdmissionPolicies ? "served" : "left" },
      loaded: (policies) => {
        this.#missing ??= policies.diagnostics.find(({ code, position }) =>
          code === "missing-file" && options.policies.includes(position?.file ?? "")
        );
        options.loaded(policies);
        if (this.#live === undefined) this.#cameIntoForce(policies.snapshot);
        else this.#live.refresh();
      },
    });
  }

  /** All of them; `undefined` before they are loaded. */
  snapshot(): Snapshot | undefined {
    return this.#live === undefined ? this.#files.snapshot : this.#live.snapshot;
  }

  /** What the paths of the app ask: those of other kinds have webhooks of their own when the cluster is followed. */
  get paths(): Pick<AppOptions, "snapshot" | "routes" | "filters" | "decided"> {
    const unfiltered = {};
    return {
      filters: () => this.#live?.paths.filters() ?? unfiltered,
      snapshot: () => this.#live === undefined ? this.snapshot() : this.#live.paths.snapshot(),
      routes: (path) => this.#live?.paths.routes(path),
      decided: (decision, request) => this.#live?.decided(decision, request),
    };
  }

  /** Reads the files at the start; a text says which of them is not there. */
  async begin(): Promise<string | undefined> {
    await this.#files.load();
    return this.#missing && `--policies ${this.#missing.position?.file}: there is no such file or folder`;
  }

  /** Reads the files again. */
  async load(): Promise<void> {
    await this.#files.load();
  }

  /** Follows changes of the files, and of the cluster's policies where that was wanted. */
  async follow(watching: OpenPorts["watching"], caBundle: string | undefined): Promise<void> {
    const { installation, dialect, lookForExpired } = this.#options;
    if (installation !== undefined && watching !== undefined) {
      const { ports, log, background } = this.#followers;
      this.#live = new LiveGate({
        watching,
        installation: installation(caBundle),
        dialect,
        ports,
        log,
        files: () => this.#files.documents,
        cameIntoForce: (snapshot) => this.#cameIntoForce(snapshot),
        leads: () => background.leads,
        ...(lookForExpired !== undefined && { lookForExpired }),
      });
      background.lead();
      await this.#live.start();
    }
    this.#files.watch();
  }

  /** This replica leads now: what the former leader left undone is looked for. */
  elected(): void {
    this.#live?.refresh();
  }

  /** Follows nothing any more. */
  async close(): Promise<void> {
    this.#files.close();
    await this.#live?.close();
  }

  #cameIntoForce(after: Snapshot): void {
    const { background, metrics } = this.#followers;
    metrics.loaded(after);
    // Files alone are not yet all where policies of the cluster are followed: rules would count as gone, and as new.
    if (this.#options.installation === undefined || this.#live !== undefined) background.loaded(after);
  }
}
