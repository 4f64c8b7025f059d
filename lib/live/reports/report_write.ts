import { asObject, asString, dig, type Json, type JsonObject } from "../../json/mod.ts";
import { metadataOnly } from "../../kube/mod.ts";
import type { Answer, Cluster } from "../../ports.ts";
import { isRetryable, mostTries, pauseAfter } from "../repeated_call.ts";
import { digestOf } from "./report.ts";

/** A report to store, with its digest. */
export interface WantedReport {
  readonly report: JsonObject;
  readonly digest: string;
}

/** The ports of a {@link ReportWrite}, and the report as it is stored. */
export interface ReportWriteOptions {
  readonly cluster: Cluster;
  /** The path of the namespace's reports. */
  readonly collection: string;
  /** The report's name. */
  readonly name: string;
  /** The stored resourceVersion as far as it is remembered; `undefined` for a report that is not stored. */
  readonly version: string | undefined;
  /** Waits for some milliseconds; `false` when the store is closed. */
  readonly pause: (milliseconds: number) => Promise<boolean>;
}

/**
 * The result of writing a report, or of deleting it (`wanted` is undefined). `refused`: the API server refuses it for
 * good. `failed`: another attempt may succeed.
 */
export type ReportWriteResult =
  | { readonly state: "stored"; readonly wanted: WantedReport; readonly version: string }
  | { readonly state: "deleted"; readonly wanted: undefined }
  | {
    readonly state: "refused" | "failed";
    readonly wanted: WantedReport | undefined;
    readonly status: number | undefined;
    readonly reason: string;
  };

/**
 * The write of one report, or its deletion, which is repeated until the API server has carried it out. The answer to an
 * earlier try may have been lost: a conflict with an equal report counts as done. The wanted report may change
 * meanwhile; the last one counts, so that an older result never replaces a newer one.
 */
export class ReportWrite {
  /** The report to store; `undefined` for one to delete. */
  wanted: WantedReport | undefined;
  /** The report that the watch delivered during the write. */
  seen: JsonObject | undefined;
  readonly #options: ReportWriteOptions;
  #version: string | undefined;
  #result: Promise<ReportWriteResult> | undefined;

  constructor(wanted: WantedReport | undefined, options: ReportWriteOptions) {
    this.wanted = wanted;
    this.#options = options;
    this.#version = options.version;
  }

  /** Begins with the first call; resolves when the write has ended. */
  result(): Promise<ReportWriteResult> {
    return this.#result ??= this.#run();
  }

  async #run(): Promise<ReportWriteResult> {
    let tries = 0;
    for (;;) {
      const { wanted } = this;
      const tried = await this.#try(wanted);
      if (tried.state === "stored" || tried.state === "deleted") {
        if (this.wanted === wanted) return tried;
        tries = 0;
      } else if (tried.state === "refused" || ++tries >= mostTries) return tried;
      else if (!await this.#options.pause(pauseAfter(tries))) return tried;
    }
  }

  async #try(wanted: WantedReport | undefined): Promise<ReportWriteResult> {
    const first = await this.#send(wanted);
    const isInTheWay = !first.ok && (first.status === 409 || this.#isGone(first, wanted));
    const answer = isInTheWay ? await this.#stored(wanted) ?? await this.#send(wanted) : first;
    if (answer.ok && wanted !== undefined) {
      this.#version = versionOf(answer.body);
      return { state: "stored", wanted, version: this.#version };
    }
    if (answer.ok || wanted === undefined && answer.status === 404) {
      this.#version = undefined;
      return { state: "deleted", wanted: undefined };
    }
    const { status, message: reason } = answer;
    return { state: isRetryable(status) ? "failed" : "refused", wanted, status, reason };
  }

  #isGone({ status }: Answer, wanted: WantedReport | undefined): boolean {
    return status === 404 && wanted !== undefined && this.#version !== undefined;
  }

  #send(wanted: WantedReport | undefined): Promise<Answer> {
    const { cluster, collection, name } = this.#options;
    const path = `${collection}/${name}`;
    if (wanted === undefined) return cluster.call({ method: "DELETE", path });
    const { report } = wanted;
    if (this.#version === undefined) {
      return cluster.call({ method: "POST", path: collection, body: report, accept: metadataOnly });
    }
    const metadata = { ...report["metadata"] as JsonObject, resourceVersion: this.#version };
    return cluster.call({ method: "PUT", path, body: { ...report, metadata }, accept: metadataOnly });
  }

  /** Reads the version that the next attempt replaces; returns the stored report if it equals the wanted one. */
  async #stored(wanted: WantedReport | undefined): Promise<Answer | undefined> {
    const { cluster, collection, name } = this.#options;
    const present = await cluster.call({ method: "GET", path: `${collection}/${name}` });
    if (present.ok) this.#version = versionOf(present.body);
    else if (present.status === 404) this.#version = undefined;
    const report = present.ok ? asObject(present.body) : undefined;
    return report !== undefined && digestOf(report) === wanted?.digest ? present : undefined;
  }
}

/** The resourceVersion of a stored object. */
export function versionOf(object: Json): string {
  return asString(dig(object, "metadata", "resourceVersion")) ?? "";
}
