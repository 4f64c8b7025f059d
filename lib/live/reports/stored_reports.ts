import { asList, heapSize, isObject, type JsonObject } from "../../json/mod.ts";
import { labelsOf, nameOf, namespaceOf } from "../../kube/mod.ts";
import { reportLabels } from "./report.ts";

/** The remembered state of a stored report. */
export interface StoredReport {
  /** Its name: the uid of the object. */
  readonly uid: string;
  readonly namespace: string;
  /** The resourceVersion. */
  readonly version: string;
  readonly digest: string;
  /** How many rows it has. */
  readonly rows: number;
  /** Rows that no scan can find again; `undefined` when they take too much memory, and must be read. */
  readonly lastingRows: readonly JsonObject[] | undefined;
  /** The bytes of heap that they take. */
  readonly bytes: number;
}

/** The most bytes of heap of kept rows of all reports: users decide how many objects there are, and what rows say. */
const defaultRowBytes = 8 * 1024 * 1024;

/** The rows that a {@link StoredReports} keeps. */
export interface StoredReportsOptions {
  /** Whether a stored row stays when its object is scanned again. */
  readonly isLasting: (row: JsonObject) => boolean;
  /** The most bytes of heap of rows that are kept; other rows are read when they are needed. 8 MiB by default. */
  readonly rowBytes?: number;
}

/** The reports that the cluster has, by their keys, as far as writes need them. */
export class StoredReports {
  readonly #options: StoredReportsOptions;
  readonly #reports = new Map<string, StoredReport>();
  #bytes = 0;

  constructor(options: StoredReportsOptions) {
    this.#options = options;
  }

  /** The report of a key. */
  get(key: string): StoredReport | undefined {
    return this.#reports.get(key);
  }

  /** The reports as they are now. */
  all(): StoredReport[] {
    return [...this.#reports.values()];
  }

  /** Remembers a report in its stored version; one that Postern does not manage is left out. */
  remember(report: JsonObject, version: string, digest: string): void {
    if (!isManaged(report)) return;
    const rows = asList(report["results"]).filter(isObject);
    const lastingRows = rows.filter(this.#options.isLasting);
    const uid = nameOf(report), namespace = namespaceOf(report), key = reportKey(namespace, uid);
    const size = lastingRows.length === 0 ? 0 : heapSize(lastingRows);
    this.forget(key);
    const isKept = this.#bytes + size <= (this.#options.rowBytes ?? defaultRowBytes);
    const bytes = isKept ? size : 0;
    this.#bytes += bytes;
    this.#reports.set(key, {
      uid,
      namespace,
      version,
      digest,
      rows: rows.length,
      lastingRows: isKept ? lastingRows : undefined,
      bytes,
    });
  }

  /** Notes that the contents of a report are unknown, so that the next write stores it. */
  invalidate(key: string): void {
    const stored = this.#reports.get(key);
    if (stored !== undefined) this.#reports.set(key, { ...stored, digest: "" });
  }

  /** Forgets a report that was deleted. */
  forget(key: string): void {
    this.#bytes -= this.#reports.get(key)?.bytes ?? 0;
    this.#reports.delete(key);
  }
}

/**
 * The key of the report about an object. Its uid is not enough: whoever may write reports in a namespace can name one
 * after an object of another.
 */
export function reportKey(namespace: string, uid: string): string {
  return `${namespace}/${uid}`;
}

/** Whether a report is one of those that Postern writes. */
export function isManaged(report: JsonObject): boolean {
  const labels = labelsOf(report);
  return Object.entries(reportLabels).every(([name, value]) => labels[name] === value);
}
