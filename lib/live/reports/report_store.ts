import { asList, asObject, asString, field, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { pause } from "../../pause.ts";
import { nameOf, namespaceOf, uidOf } from "../../kube/mod.ts";
import { Slices } from "../../slices.ts";
import type { Cluster, Collection, Collections, Log, Scheduler } from "../../ports.ts";
import { isRetryable } from "../repeated_call.ts";
import { digestOf, reportOf } from "./report.ts";
import { type ReportKind, reportsPath } from "./report_kind.ts";
import { ReportWrite, type ReportWriteResult, versionOf, type WantedReport } from "./report_write.ts";
import { withoutReplaced } from "./rows.ts";
import {
  isManaged,
  reportKey,
  type StoredReport,
  StoredReports,
  type StoredReportsOptions,
} from "./stored_reports.ts";

/** The ports of the store, and the kind of its reports. */
export interface ReportStoreOptions extends StoredReportsOptions {
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly log: Log;
  /** Lets requests have their turns while stored reports are read; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
  readonly kind: ReportKind;
  /** The results that reports have rows for: `fail`. */
  readonly results: ReadonlySet<string>;
  /** Called when a report could not be written, for a reason that may pass: then its object must be scanned again. */
  readonly missed: () => void;
  /** Waits for some milliseconds; tests replace it. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<boolean>;
}

/** The result of a write; `unchanged` when the stored report was equal. */
export type Written = "unchanged" | ReportWriteResult["state"];

/** Writes reports, and keeps a digest of each stored report so that it writes only changed ones. */
export class ReportStore {
  readonly #options: ReportStoreOptions;
  #watched: readonly Collection[] = [];
  readonly #stored: StoredReports;
  readonly #slices: Slices;
  /** Reports that are being written, by their keys. */
  readonly #underWay = new Map<string, ReportWrite>();
  readonly #stop = new AbortController();
  #written = 0;

  constructor(options: ReportStoreOptions) {
    this.#options = options;
    this.#stored = new StoredReports(options);
    const { scheduler } = options;
    this.#slices = new Slices(scheduler);
  }

  /** Begins to watch the reports once there are policies; a second call does nothing. */
  start(): void {
    if (this.#watched.length > 0) return;
    const { kind: { apiVersion, namespaced, clusterWide }, collections } = this.#options;
    this.#watched = [namespaced, clusterWide].map(({ path }) =>
      collections.watch(`/apis/${apiVersion}/${path}`, ({ object, former }) => {
        if (object !== undefined) return this.#seen(object);
        return former && this.#stored.forget(reportKey(namespaceOf(former), nameOf(former)));
      }, { keep: ({ metadata }) => ({ metadata: identity(metadata as JsonObject) }), changes: "metadata" })
    );
  }

  /** The number of reports that were written. */
  get written(): number {
    return this.#written;
  }

  /** Resolves when the stored reports are listed. */
  async ready(): Promise<void> {
    await Promise.all(this.#watched.map(({ synced }) => synced));
  }

  /**
   * The stored rows about an object that no scan can find, of rules that still exist, without rows that `found`
   * replaces. `undefined` when they could not be read: the object must be scanned again.
   */
  async lastingRows(
    resource: JsonObject,
    found: readonly JsonObject[],
  ): Promise<readonly JsonObject[] | undefined> {
    const stored = this.#stored.get(reportKey(namespaceOf(resource), uidOf(resource)));
    if (stored === undefined || stored.lastingRows?.length === 0) return [];
    const rows = stored.lastingRows ?? await this.#readRows(stored);
    return rows && withoutReplaced(rows, found).filter((row) => this.#options.isLasting(row));
  }

  /** Reads the rows that no scan can find; `undefined` after a failure that may pass. */
  async #readRows({ uid, namespace }: StoredReport): Promise<readonly JsonObject[] | undefined> {
    const { cluster, kind, missed, isLasting } = this.#options;
    const answer = await cluster.call({ method: "GET", path: `${reportsPath(kind, namespace)}/${uid}` });
    if (answer.ok) return asList(field(answer.body, "results")).filter(isObject).filter(isLasting);
    if (!isRetryable(answer.status)) return [];
    missed();
    return undefined;
  }

  /**
   * Adds rows that no scan can find, and replaces rows of the same rules. Rows about an object that does not exist
   * are dropped. Returns whether they need not be added again.
   */
  async addRows(resource: JsonObject, rows: readonly JsonObject[]): Promise<boolean> {
    const { cluster, kind } = this.#options;
    const path = `${reportsPath(kind, namespaceOf(resource))}/${uidOf(resource)}`;
    const present = await cluster.call({ method: "GET", path });
    if (!present.ok && present.status !== 404) return !isRetryable(present.status);
    const former = present.ok ? asList(field(present.body, "results")).filter(isObject) : [];
    return await this.write(resource, [...withoutReplaced(former, rows), ...rows]) !== "failed";
  }

  /** Writes the report about an object with these rows, or deletes it when there are none. */
  async write(resource: JsonObject, found: readonly JsonObject[]): Promise<Written> {
    const rows = found.filter((row) => this.#options.results.has(asString(row["result"]) ?? ""));
    if (rows.length === 0) return await this.remove(resource);
    const report = reportOf(resource, rows, this.#options.kind);
    const digest = digestOf(report);
    const uid = uidOf(resource), namespace = namespaceOf(resource), key = reportKey(namespace, uid);
    const running = this.#underWay.get(key);
    const last = running === undefined ? this.#stored.get(key) : running.wanted;
    return last?.digest === digest ? "unchanged" : await this.#put(uid, namespace, { report, digest });
  }

  /** Deletes the report about an object. */
  async remove(resource: JsonObject): Promise<Written> {
    const uid = uidOf(resource), namespace = namespaceOf(resource), key = reportKey(namespace, uid);
    if (this.#stored.get(key) === undefined && !this.#underWay.has(key)) return "unchanged";
    return await this.#put(uid, namespace, undefined);
  }

  /** Stores or deletes a report. A write in progress continues with the new report. */
  async #put(uid: string, namespace: string, wanted: WantedReport | undefined): Promise<Written> {
    const key = reportKey(namespace, uid), running = this.#underWay.get(key);
    if (running !== undefined) {
      running.wanted = wanted;
      return (await running.result()).state;
    }
    const { cluster, kind, wait = pause } = this.#options;
    const write = new ReportWrite(wanted, {
      cluster,
      collection: reportsPath(kind, namespace),
      name: uid,
      version: this.#stored.get(key)?.version,
      pause: (milliseconds) => wait(milliseconds, this.#stop.signal),
    });
    this.#underWay.set(key, write);
    const result = await write.result();
    this.#underWay.delete(key);
    this.#ended(key, result);
    if (write.seen !== undefined) await this.#seen(write.seen);
    // The wanted report may have changed since the write ended.
    return write.wanted === result.wanted ? result.state : await this.#put(uid, namespace, write.wanted);
  }

  #ended(key: string, result: ReportWriteResult): void {
    const { log, missed } = this.#options;
    switch (result.state) {
      case "stored":
        this.#written++;
        this.#stored.remember(result.wanted.report, result.version, result.wanted.digest);
        return;
      case "deleted":
        this.#stored.forget(key);
        return;
      case "refused":
      case "failed":
        // The namespace or the kind of reports is gone.
        if (result.status !== 404) {
          log.write("warn", "report not written", { name: key, reason: result.reason });
        }
        if (result.state === "failed") missed();
    }
  }

  /**
   * Removes the reports about objects that no scan saw, but for rows that no scan can find. It ends at the first
   * failure, because the next scan tries again.
   */
  async keepOnly(isScanned: (uid: string) => boolean): Promise<void> {
    for (const stored of this.#stored.all()) {
      const { uid, namespace } = stored;
      if (isScanned(uid)) continue;
      const kept = stored.lastingRows ?? await this.#readRows(stored);
      if (kept === undefined) return;
      const lasting = kept.filter(this.#options.isLasting);
      if (lasting.length > 0 && lasting.length === stored.rows) continue;
      const written = lasting.length === 0
        ? await this.remove({ metadata: { uid, namespace } })
        : await this.#keepRows(stored, lasting);
      if (written === "failed") return;
    }
  }

  async #keepRows({ uid, namespace }: StoredReport, rows: readonly JsonObject[]): Promise<Written> {
    const { cluster, kind, missed } = this.#options;
    const present = await cluster.call({ method: "GET", path: `${reportsPath(kind, namespace)}/${uid}` });
    if (present.ok) return await this.write(resourceOf(present.body), rows);
    if (!isRetryable(present.status)) return "unchanged";
    missed();
    return "failed";
  }

  /** Ends the watches, and the pauses of writes that failed. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#watched.map((collection) => collection.close()));
  }

  /** Remembers a report as it was listed, or as somebody else wrote it. */
  async #seen(report: JsonObject): Promise<void> {
    const key = reportKey(namespaceOf(report), nameOf(report));
    if (!isManaged(report)) return;
    // A list has hundreds of reports with hundreds of rows each.
    if (this.#slices.isUsedUp) await this.#slices.next();
    const running = this.#underWay.get(key);
    if (running !== undefined) return void (running.seen = report);
    const stored = this.#stored.get(key);
    // Resource versions grow. One that is lower is the echo of an earlier write.
    if (stored !== undefined && !(Number(versionOf(report)) > Number(stored.version))) return;
    const whole = report["scope"] === undefined ? await this.#read(report) : report;
    if (whole !== undefined) this.#stored.remember(whole, versionOf(whole), digestOf(whole));
    // The next scan replaces a report that cannot be read.
    else this.#stored.invalidate(key);
  }

  async #read(report: JsonObject): Promise<JsonObject | undefined> {
    const { cluster, kind } = this.#options;
    const path = `${reportsPath(kind, namespaceOf(report))}/${nameOf(report)}`;
    const answer = await cluster.call({ method: "GET", path });
    return answer.ok ? asObject(answer.body) : undefined;
  }
}

/** The object that a report is about, as far as the report says. */
function resourceOf(report: Json): JsonObject {
  const { apiVersion = "", kind = "", ...metadata } = asObject(field(report, "scope")) ?? {};
  return { apiVersion, kind, metadata };
}

function identity(metadata: JsonObject): JsonObject {
  const kept = ["name", "namespace", "resourceVersion"].flatMap((name) => {
    const value = field(metadata, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}
