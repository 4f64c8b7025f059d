import {
  asList,
  asObject,
  asString,
  dig,
  field,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { labelsOf, metadataOnly, nameOf, namespaceOf } from "../../kube/mod.ts";
import type { Answer, Cluster, Collection, Collections, Log } from "../../ports.ts";
import { digestOf, reportLabels, reportOf, uidOf } from "./report.ts";
import { type ReportKind, reportsPath } from "./report_kind.ts";

/** The ports of the store, and the kind of its reports. */
export interface ReportStoreOptions {
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly log: Log;
  readonly kind: ReportKind;
  /** The results that reports have rows for: `fail`. */
  readonly results: ReadonlySet<string>;
  /** Whether a stored row stays when its object is scanned again. */
  readonly isLasting: (row: JsonObject) => boolean;
}

/** The remembered state of a stored report. */
interface Stored {
  readonly namespace: string;
  /** The resourceVersion. */
  readonly version: string;
  readonly digest: string;
  /** How many rows it has. */
  readonly rows: number;
  /** Rows that no scan can find again. */
  readonly lastingRows: readonly JsonObject[];
}

/** Writes reports, and keeps a digest of each stored report so that it writes only changed ones. */
export class ReportStore {
  readonly #options: ReportStoreOptions;
  #watched: readonly Collection[] = [];
  readonly #stored = new Map<string, Stored>();
  /** Reports that are being written, by uid, as they were seen meanwhile: the answer says which version was written. */
  readonly #underWay = new Map<string, JsonObject | undefined>();
  #written = 0;

  constructor(options: ReportStoreOptions) {
    this.#options = options;
  }

  /** Begins to watch the reports once there are policies; a second call does nothing. */
  start(): void {
    if (this.#watched.length > 0) return;
    const { kind: { apiVersion, namespaced, clusterWide }, collections } = this.#options;
    this.#watched = [namespaced, clusterWide].map(({ path }) =>
      collections.watch(`/apis/${apiVersion}/${path}`, ({ object, former }) => {
        if (object !== undefined) return this.#seen(object);
        return former && void this.#stored.delete(nameOf(former));
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
   * replaces.
   */
  lastingRows(resource: JsonObject, found: readonly JsonObject[]): readonly JsonObject[] {
    const rows = this.#stored.get(uidOf(resource))?.lastingRows;
    if (rows === undefined || rows.length === 0) return [];
    const replaced = new Set(found.map(identityOf));
    return rows.filter((row) => this.#options.isLasting(row) && !replaced.has(identityOf(row)));
  }

  /**
   * Adds rows that no scan can find, and replaces rows of the same rules. Rows about an object that does not exist
   * are dropped.
   */
  async addRows(resource: JsonObject, rows: readonly JsonObject[]): Promise<void> {
    const { cluster, kind } = this.#options;
    const path = `${reportsPath(kind, namespaceOf(resource))}/${uidOf(resource)}`;
    const present = await cluster.call({ method: "GET", path });
    if (!present.ok && present.status !== 404) return;
    const former = present.ok ? asList(field(present.body, "results")).filter(isObject) : [];
    const replaced = new Set(rows.map(identityOf));
    await this.write(resource, [...former.filter((row) => !replaced.has(identityOf(row))), ...rows]);
  }

  /**
   * Writes the report about an object with these rows, or deletes it when there are none. Returns whether the report
   * changed.
   */
  async write(resource: JsonObject, found: readonly JsonObject[]): Promise<boolean> {
    const rows = found.filter((row) => this.#options.results.has(asString(row["result"]) ?? ""));
    const uid = uidOf(resource);
    const stored = this.#stored.get(uid);
    if (rows.length === 0) {
      await this.remove(uid);
      return stored !== undefined;
    }
    const report = reportOf(resource, rows, this.#options.kind);
    const digest = digestOf(report);
    if (stored?.digest === digest) return false;
    this.#written++;
    this.#underWay.set(uid, undefined);
    const answer = await this.#store(report, stored !== undefined);
    const seen = this.#underWay.get(uid);
    this.#underWay.delete(uid);
    if (answer.ok) this.#remember(report, versionOf(answer.body), digest);
    else if (answer.status !== 404) {
      this.#options.log.write("warn", "report not written", {
        name: nameOf(resource),
        reason: answer.message,
      });
    }
    if (seen !== undefined) await this.#seen(seen);
    return true;
  }

  async #store(report: JsonObject, isThere: boolean): Promise<Answer> {
    const path = reportsPath(this.#options.kind, namespaceOf(report));
    const { cluster } = this.#options;
    const answer = isThere
      ? await this.#replace(`${path}/${nameOf(report)}`, report)
      : await cluster.call({ method: "POST", path, body: report, accept: metadataOnly });
    const isConflict = !answer.ok && answer.status === 409;
    return isConflict ? await this.#replace(`${path}/${nameOf(report)}`, report) : answer;
  }

  /** Deletes the report about an object. */
  async remove(uid: string): Promise<void> {
    const stored = this.#stored.get(uid);
    if (stored === undefined) return;
    this.#stored.delete(uid);
    const path = `${reportsPath(this.#options.kind, stored.namespace)}/${uid}`;
    await this.#options.cluster.call({ method: "DELETE", path });
  }

  /** Removes the reports about objects that no scan saw, but for rows that no scan can find. */
  async keepOnly(isScanned: (uid: string) => boolean): Promise<void> {
    for (const [uid, stored] of [...this.#stored]) {
      if (isScanned(uid)) continue;
      const lasting = stored.lastingRows.filter(this.#options.isLasting);
      if (lasting.length === 0) await this.remove(uid);
      else if (lasting.length < stored.rows) await this.#keepRows(uid, stored, lasting);
    }
  }

  async #keepRows(uid: string, { namespace }: Stored, rows: readonly JsonObject[]): Promise<void> {
    const { cluster, kind } = this.#options;
    const present = await cluster.call({ method: "GET", path: `${reportsPath(kind, namespace)}/${uid}` });
    if (present.ok) await this.write(resourceOf(present.body), rows);
  }

  /** Ends the watches. */
  async close(): Promise<void> {
    await Promise.all(this.#watched.map((collection) => collection.close()));
  }

  async #replace(path: string, report: JsonObject): Promise<Answer> {
    const { cluster } = this.#options;
    const present = await cluster.call({ method: "GET", path, accept: metadataOnly });
    if (!present.ok) return present;
    const version = versionOf(present.body);
    const body = { ...report, metadata: { ...report["metadata"] as JsonObject, resourceVersion: version } };
    return await cluster.call({ method: "PUT", path, body, accept: metadataOnly });
  }

  /** Remembers a report as it was listed, or as somebody else wrote it. */
  async #seen(report: JsonObject): Promise<void> {
    const uid = nameOf(report);
    if (!isManaged(report)) return;
    if (this.#underWay.has(uid)) return void this.#underWay.set(uid, report);
    const stored = this.#stored.get(uid);
    // Resource versions grow. One that is lower is the echo of an earlier write.
    if (stored !== undefined && !(Number(versionOf(report)) > Number(stored.version))) return;
    const whole = report["scope"] === undefined ? await this.#read(report) : report;
    if (whole !== undefined) this.#remember(whole, versionOf(whole), digestOf(whole));
  }

  async #read(report: JsonObject): Promise<JsonObject | undefined> {
    const { cluster, kind } = this.#options;
    const path = `${reportsPath(kind, namespaceOf(report))}/${nameOf(report)}`;
    const answer = await cluster.call({ method: "GET", path });
    return answer.ok ? asObject(answer.body) : undefined;
  }

  #remember(report: JsonObject, version: string, digest: string): void {
    if (!isManaged(report)) return;
    const rows = asList(report["results"]).filter(isObject);
    const lastingRows = rows.filter(this.#options.isLasting);
    const namespace = namespaceOf(report);
    this.#stored.set(nameOf(report), { namespace, version, digest, rows: rows.length, lastingRows });
  }
}

/** The object that a report is about, as far as the report says. */
function resourceOf(report: Json): JsonObject {
  const { apiVersion = "", kind = "", ...metadata } = asObject(field(report, "scope")) ?? {};
  return { apiVersion, kind, metadata };
}

function isManaged(report: JsonObject): boolean {
  const labels = labelsOf(report);
  return Object.entries(reportLabels).every(([name, value]) => labels[name] === value);
}

function versionOf(report: Json): string {
  return asString(dig(report, "metadata", "resourceVersion")) ?? "";
}

function identityOf(row: JsonObject): string {
  return JSON.stringify([row["source"] ?? "", row["policy"] ?? "", row["rule"] ?? ""]);
}

function identity(metadata: JsonObject): JsonObject {
  const kept = ["name", "namespace", "resourceVersion"].flatMap((name) => {
    const value = field(metadata, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}
