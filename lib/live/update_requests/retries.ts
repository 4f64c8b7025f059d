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

/** The status after a number of failed tries; `undefined` when the UpdateRequest must be deleted. */
export function failedStatus(failures: number, message: string): OpenStatus | undefined {
  return failures > mostFailures ? undefined : { state: "Failed", message, retryCount: failures };
}

/** The rounds before an UpdateRequest is tried again: longer and longer, as what is missing may come late. */
export function roundsAfter(failures: number): number {
  return failures <= 0 ? 0 : 2 ** Math.min(failures, mostFailures);
}
