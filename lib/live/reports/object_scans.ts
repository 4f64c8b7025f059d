import { existingRequest } from "../../background/mod.ts";
import type { Decision, PolicyRequest } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  compileResourceFilters,
  defaultResourceFilters,
  labelsOf,
  nameOf,
  namespaceOf,
  typeOf,
  uidOf,
} from "../../kube/mod.ts";
import { Slices } from "../../slices.ts";
import type { Log, ObjectChange, Ports } from "../../ports.ts";
import type { ReportStore } from "./report_store.ts";
import { rowsOf } from "./rows.ts";
import { scanDecision, type ScannedPolicies } from "./scan_decision.ts";

/** The ports and receivers of {@link ObjectScans}. */
export interface ObjectScansOptions {
  readonly ports: Ports;
  readonly log: Log;
  readonly store: ReportStore;
  /** Called for each evaluation of an object. */
  readonly evaluated?: (decision: Decision, request: PolicyRequest) => void;
  /** Receives the changed results for an object. */
  readonly found?: (decision: Decision, request: PolicyRequest) => void;
}

/** The most reports that are written at a time. */
const mostWrites = 8;

/** Evaluates the policies for one object after the other, and writes its report. */
export class ObjectScans {
  readonly #options: ObjectScansOptions;
  readonly #writing = new Set<Promise<void>>();
  readonly #slices: Slices;
  #isHidden: (object: JsonObject) => boolean = () => false;
  #evaluations = 0;
  /** The policies that are evaluated; set before the first object. */
  policies: ScannedPolicies | undefined;

  constructor(options: ObjectScansOptions) {
    this.#options = options;
    const { scheduler } = options.ports;
    this.#slices = new Slices(scheduler);
  }

  /** Leaves out the objects of `[Kind,namespace,name]` items from now on; those of the defaults when absent. */
  hide(resourceFilters: string | undefined): void {
    this.#isHidden = hiddenBy(resourceFilters);
  }

  /** The number of evaluations of objects so far. */
  get evaluations(): number {
    return this.#evaluations;
  }

  /** Whether no report is being written. */
  get isIdle(): boolean {
    return this.#writing.size === 0;
  }

  /** Resolves when the reports that are being written now are stored. */
  async written(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /**
   * Scans a changed object, or removes the report of a deleted one; `scanned` are the uids of the scanned objects of
   * its kind. It resolves as soon as the next may begin, so that a long list does not fill the memory. Requests have
   * their turns between two objects: an object whose report stays causes no call, which would let them in.
   */
  async changed({ object, former }: ObjectChange, scanned: Set<string>): Promise<void> {
    if (this.#slices.isUsedUp) await this.#slices.next();
    const working = object === undefined ? this.#gone(former!, scanned) : this.#scan(object, scanned);
    const work: Promise<void> = working.catch((cause) =>
      this.#options.log.write("error", "an object could not be scanned", { cause: String(cause) })
    ).finally(() => this.#writing.delete(work));
    this.#writing.add(work);
    if (this.#writing.size >= mostWrites) await Promise.race(this.#writing);
  }

  async #gone(former: JsonObject, scanned: Set<string>): Promise<void> {
    scanned.delete(uidOf(former));
    await this.#options.store.remove(former);
  }

  async #scan(object: JsonObject, scanned: Set<string>): Promise<void> {
    const { ports, store, found, evaluated } = this.#options;
    if (this.#isHidden(object)) return;
    const decision = await scanDecision(this.policies!, object, ports);
    this.#evaluations++;
    evaluated?.(decision, existingRequest(object));
    const rows = rowsOf(decision.results, object, ports.clock.now());
    scanned.add(uidOf(object));
    const lasting = await store.lastingRows(object, rows);
    if (lasting === undefined) return;
    const written = await store.write(object, [...rows, ...lasting]);
    if (written !== "unchanged" && written !== "failed") found?.(decision, existingRequest(object));
  }
}

function hiddenBy(resourceFilters: string | undefined): (object: JsonObject) => boolean {
  const filtered = compileResourceFilters(resourceFilters ?? defaultResourceFilters);
  return (object) =>
    labelsOf(object)["reports.kyverno.io/disabled"] !== undefined ||
    filtered({ ...typeOf(object), subresource: "", namespace: namespaceOf(object), name: nameOf(object) });
}
