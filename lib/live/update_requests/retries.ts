import { dig, type JsonObject } from "../../json/mod.ts";
import type { OpenStatus } from "./request_writer.ts";

/**
 * The tries that an UpdateRequest may fail and stay. Kyverno parity: the next failed try deletes it. Pinned by "an
 * UpdateRequest that fails is tried again after longer and longer pauses, and deleted when it fails the fifth time".
 */
const mostFailures = 4;

/** The number of failed tries in the status of a stored UpdateRequest, where Kyverno has it, too. */
export function failuresOf(object: JsonObject): number {
  const failures = Number(dig(object, "status", "retryCount") ?? 0);
  return Number.isInteger(failures) && failures > 0 ? failures : 0;
}

/** Counts the failed tries of UpdateRequests, by name. */
export class FailedTries {
  readonly #counts = new Map<string, number>();

  /**
   * Raises the count to that in the status of the UpdateRequest. The watch may bring a status that is older than this
   * count, or one with the tries of a former leader.
   */
  atLeast(name: string, failures: number): void {
    this.#counts.set(name, Math.max(this.#counts.get(name) ?? 0, failures));
  }

  /** Counts a failed try. Returns the status after it; `undefined` when the UpdateRequest must be deleted. */
  fail(name: string, message: string): OpenStatus | undefined {
    const failures = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, failures);
    return failures > mostFailures ? undefined : { state: "Failed", message, retryCount: failures };
  }

  /** Forgets the tries of an UpdateRequest that was deleted. */
  forget(name: string): void {
    this.#counts.delete(name);
  }
}

/** The rounds before an UpdateRequest is tried again: longer and longer, as what is missing may come late. */
export function roundsAfter(failures: number): number {
  return failures <= 0 ? 0 : 2 ** Math.min(failures, mostFailures);
}
