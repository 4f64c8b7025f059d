import type { PolicyRequest } from "../engine/mod.ts";
import type { JobScope } from "./request_job.ts";

/** The most characters of a uid: the API server's uids are shorter. */
const longestUid = 128;

/**
 * The requests that a worker took last. The API server calls several webhooks with one request, and repeats calls; for
 * the same policies it is processed once. It is no `BoundedCache`, which may forget half of what it holds at once.
 */
export class RecentRequests {
  readonly #most: number;
  readonly #keys = new Set<string>();

  /** Remembers the last `most` requests. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Remembers a request; false when it came before for the same policies. Requests without a uid are always new. */
  add({ uid }: PolicyRequest, route: JobScope["route"] = {}): boolean {
    if (uid === "" || uid.length > longestUid) return true;
    const key = `${uid} ${route.failurePolicy ?? ""} ${route.policy ?? ""}`;
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > this.#most) {
      const [oldest] = this.#keys;
      this.#keys.delete(oldest!);
    }
    return true;
  }
}
