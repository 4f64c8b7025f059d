import type { Decision, PolicyRequest, Snapshot } from "../engine/mod.ts";
import type { EffectsResult } from "../background/mod.ts";
import {
  AdmissionReports,
  effectRows,
  isLasting,
  isReportedPolicy,
  type LiveSetting,
  ReportStore,
  rowsOf,
  Scanner,
  unscannedResults,
} from "../live/mod.ts";
import type { OpenPorts } from "../open_ports/mod.ts";
import type { Clock, Log, Ports } from "../ports.ts";

/** The ports, the settings and the receivers of {@link LiveReports}. */
export interface LiveReportsOptions {
  readonly watching: NonNullable<OpenPorts["watching"]>;
  readonly ports: Ports;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this replica writes to the cluster. */
  readonly leads: () => boolean;
  readonly setting: Pick<LiveSetting, "reports" | "reportedResults">;
  /** The policies in force. */
  readonly snapshot: () => Snapshot | undefined;
  /** `[Kind,namespace,name]` items of objects that are not scanned; the defaults when absent. */
  readonly resourceFilters: () => string | undefined;
  /** Called for each evaluation of an object by a scan. */
  readonly evaluated: (decision: Decision, request: PolicyRequest) => void;
  /** Receives the changed results that a scan found for an object. */
  readonly found: (decision: Decision, request: PolicyRequest) => void;
}

/** Writes the reports of the policies of a cluster: results of admission, of effects and of background scans. */
export class LiveReports {
  readonly #options: LiveReportsOptions;
  readonly #store: ReportStore;
  readonly #ofAdmission: AdmissionReports;
  readonly #scanner: Scanner;

  constructor(options: LiveReportsOptions) {
    this.#options = options;
    const { watching, ports, clock, log, leads, setting, snapshot } = options;
    const shared = { ...watching, cluster: ports.cluster, scheduler: ports.scheduler, clock, log, leads };
    this.#store = new ReportStore({
      ...shared,
      kind: setting.reports,
      results: setting.reportedResults,
      isLasting: (row) => {
        const inForce = snapshot();
        return inForce !== undefined && isLasting(row, inForce);
      },
      missed: () => this.#scanner.missed(),
    });
    this.#ofAdmission = new AdmissionReports({ ...shared, store: this.#store });
    this.#scanner = new Scanner({
      ...shared,
      ports,
      store: this.#store,
      resourceFilters: options.resourceFilters,
      evaluated: options.evaluated,
      found: options.found,
    });
  }

  /** The number of evaluations of background scans so far. */
  get evaluations(): number {
    return this.#scanner.evaluations;
  }

  /** Scans the objects that changed policies match. */
  policiesChanged(snapshot: Snapshot): void {
    this.#scanner.policiesChanged(snapshot);
  }

  /** Scans the objects of kinds that the API server serves since the last scan. */
  kindsChanged(): void {
    this.#scanner.kindsChanged();
  }

  /** Reports the results of an admission request that no scan will find. */
  decided(decision: Decision, { object, subresource }: PolicyRequest): void {
    // Nothing is reported about what was denied.
    if (!decision.allowed || object === undefined || subresource !== "") return;
    const results = unscannedResults(decision, this.#options.snapshot());
    if (results.length > 0) this.#ofAdmission.add(object, rowsOf(results, object, this.#options.clock.now()));
  }

  /** Reports the results of effects on other objects. */
  effectsTried(effects: EffectsResult): void {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) return;
    const results = effects.results.filter((each) => isReportedPolicy(each, snapshot));
    for (const { object, rows } of effectRows({ ...effects, results }, this.#options.clock.now())) {
      this.#ofAdmission.add(object, rows);
    }
  }

  /** Ends the writes: they do not wait any more for an API server that does not take them. */
  async closeReports(): Promise<void> {
    await this.#store.close();
    await this.#ofAdmission.close();
  }

  /** Ends the scans. */
  async closeScans(): Promise<void> {
    await this.#scanner.close();
  }
}
