import type { JsonObject } from "../../json/mod.ts";
import type { Log } from "../../ports.ts";
import { uidOf } from "./report.ts";
import type { ReportStore } from "./report_store.ts";

/** Milliseconds after which an object that was admitted is stored. */
const storingTime = 1_500;
/** Objects that may wait: more than a burst of creations, and some megabytes. */
const most = 10_000;

/** The ports of {@link AdmissionReports}. */
export interface AdmissionReportsOptions {
  readonly store: ReportStore;
  readonly log: Log;
}

interface Waiting {
  readonly object: JsonObject;
  readonly rows: JsonObject[];
  readonly due: number;
}

/**
 * Takes the rows that no scan can find, and has them written a moment later, one object after the other: answers never wait for
 * a report, and several decisions about one object make one write.
 */
export class AdmissionReports {
  readonly #options: AdmissionReportsOptions;
  readonly #waiting = new Map<string, Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #dropped = 0;

  constructor(options: AdmissionReportsOptions) {
    this.#options = options;
  }

  /** Takes rows about an object that has its uid. */
  add(object: JsonObject, rows: readonly JsonObject[]): void {
    const uid = uidOf(object);
    if (uid === "" || rows.length === 0) return;
    const waiting = this.#waiting.get(uid);
    if (waiting === undefined && this.#waiting.size >= most) return this.#drop();
    // Of two decisions of one kind the later one counts; the object as it was last seen has its name.
    const kept = waiting?.rows.filter((row) => !rows.some((each) => isSame(row, each))) ?? [];
    const due = waiting?.due ?? Date.now() + storingTime;
    this.#waiting.set(uid, { object, rows: [...kept, ...rows], due });
    this.#start();
  }

  /** Writes nothing more; resolves when the write that is under way has ended. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#waiting.clear();
    await this.#writing;
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    const [first] = this.#waiting.values();
    if (first === undefined) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#writeDue().finally(() => {
        this.#timer = undefined;
        this.#start();
      });
    }, Math.max(0, first.due - Date.now()));
  }

  async #writeDue(): Promise<void> {
    for (const [uid, { object, rows, due }] of this.#waiting) {
      if (due > Date.now()) return;
      this.#waiting.delete(uid);
      await this.#options.store.addRows(object, rows).catch((cause) =>
        this.#options.log.write("error", "a report was not written", { cause: String(cause) })
      );
    }
    this.#dropped = 0;
  }

  #drop(): void {
    if (this.#dropped++ > 0) return;
    this.#options.log.write("warn", "too many objects wait for their report: rows about some are left out");
  }
}

function isSame(left: JsonObject, right: JsonObject): boolean {
  return left["source"] === right["source"] && left["policy"] === right["policy"] &&
    left["rule"] === right["rule"];
}
