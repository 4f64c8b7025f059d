import { asString, isObject, type JsonObject } from "../../json/mod.ts";
import { createdAt, metadataOnly, nameOf, namespaceOf, objectPath, uidOf } from "../../kube/mod.ts";
import { type Clock, type Cluster, elapsedOn, type Log } from "../../ports.ts";
import { isRetryable } from "../repeated_call.ts";
import type { ReportStore } from "./report_store.ts";
import { withoutReplaced } from "./rows.ts";
import { type Waiting, WaitingRows } from "./waiting_rows.ts";

/** Milliseconds by which the API server's clock may be behind. */
const clockSkew = 10_000;
/** Milliseconds for which rows are written again while the API server fails. */
const longestRetry = 600_000;

/** The ports of {@link AdmissionReports}. */
export interface AdmissionReportsOptions {
  readonly store: ReportStore;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds until the API server has stored an admitted object: 1,500 by default. */
  readonly storingTime?: number;
}

/**
 * Collects the rows that no scan can find, and writes them after a moment, one object after the other. Answers never
 * wait for a report, and several decisions about one object need one write. An object that is being created has no uid
 * during its mutations, so it is read by its name later.
 */
export class AdmissionReports {
  readonly #options: AdmissionReportsOptions;
  readonly #waiting = new WaitingRows();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #dropped = 0;

  constructor(options: AdmissionReportsOptions) {
    this.#options = options;
  }

  get #storingTime(): number {
    return this.#options.storingTime ?? 1_500;
  }

  /** Adds rows about an object. It ignores an object without uid and name, which cannot be found later. */
  add(object: JsonObject, rows: readonly JsonObject[]): void {
    if (uidOf(object) === "" && nameOf(object) === "" || rows.length === 0) return;
    const key = identityOf(object), keyWithoutUid = identityOf(object, "");
    const waiting = this.#waiting.get(key) ?? this.#waiting.get(keyWithoutUid);
    // The later of two results of one rule counts. The later object also has the name that the API server generated.
    const kept = withoutReplaced(waiting?.rows ?? [], rows);
    const { clock } = this.#options, now = elapsedOn(clock);
    const { since, due, until } = waiting ??
      { since: clock.now(), due: now + this.#storingTime, until: now + longestRetry };
    const isKept = this.#waiting.put(key, { object, rows: [...kept, ...rows], since, due, until });
    if (!isKept) return this.#drop();
    if (key !== keyWithoutUid) this.#waiting.delete(keyWithoutUid);
    this.#start();
  }

  /** Stops writing; resolves when the current write has ended. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#waiting.clear();
    await this.#writing;
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    const [[, first] = []] = this.#waiting.entries();
    if (first === undefined) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#writeDue().finally(() => {
        this.#timer = undefined;
        this.#start();
      });
    }, Math.max(0, first.due - elapsedOn(this.#options.clock)));
  }

  async #writeDue(): Promise<void> {
    for (const [key, waiting] of this.#waiting.entries()) {
      if (waiting.due > elapsedOn(this.#options.clock)) return;
      this.#waiting.delete(key);
      await this.#write(waiting).catch((cause) =>
        this.#options.log.write("error", "a report could not be written", { cause: String(cause) })
      );
    }
    this.#dropped = 0;
  }

  async #write(waiting: Waiting): Promise<void> {
    const { object, rows, since, until } = waiting;
    const stored = uidOf(object) === "" ? await this.#created(object, since) : object;
    if (stored === "absent") return;
    if (stored !== "not read" && await this.#options.store.addRows(stored, rows)) return;
    if (elapsedOn(this.#options.clock) < until) this.#again(waiting);
    else this.#options.log.write("warn", "rows of a report were not written", { name: nameOf(object) });
  }

  /** Puts rows that were not written behind the others, without those that a later decision replaced. */
  #again({ object, rows, since, until }: Waiting): void {
    const key = identityOf(object), later = this.#waiting.get(key)?.rows ?? [];
    const kept = withoutReplaced(rows, later);
    const due = elapsedOn(this.#options.clock) + this.#storingTime;
    if (!this.#waiting.put(key, { object, rows: [...kept, ...later], since, due, until })) this.#drop();
  }

  /** Reads a created object; it is absent if it was not stored, or if the object of this name is older. */
  async #created(object: JsonObject, since: number): Promise<JsonObject | "absent" | "not read"> {
    const { cluster } = this.#options;
    const apiVersion = asString(object["apiVersion"]) ?? "", kind = asString(object["kind"]) ?? "";
    const resource = await cluster.resource(apiVersion, kind);
    if (resource === undefined) return "absent";
    const path = objectPath(resource, {
      namespace: resource.namespaced ? namespaceOf(object) : "",
      name: nameOf(object),
    });
    const found = await cluster.call({ method: "GET", path, accept: metadataOnly });
    if (!found.ok) return isRetryable(found.status) ? "not read" : "absent";
    if (!isObject(found.body)) return "absent";
    return createdAt(found.body) < since - clockSkew ? "absent" : { ...found.body, apiVersion, kind };
  }

  #drop(): void {
    if (this.#dropped++ > 0) return;
    this.#options.log.write("warn", "too many rows wait for their report: rows about some are left out");
  }
}

/** Identifies an object; the uid distinguishes it from an earlier object with the same name. */
function identityOf(object: JsonObject, uid: string = uidOf(object)): string {
  return JSON.stringify([
    object["apiVersion"] ?? "",
    object["kind"] ?? "",
    namespaceOf(object),
    nameOf(object),
    uid,
  ]);
}
