import type { Snapshot } from "../engine/mod.ts";
import { faultyPolicies } from "./faulty_policies.ts";
import { type ReportedResult, reportedResult, type ReportSummary } from "../report/mod.ts";

/** Counts results as objects arrive, and keeps nothing else of them. */
export class Tally {
  readonly #auditWarn: boolean;
  readonly #counts: ReportSummary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
  readonly #erring = new Set<string>();
  #objects = 0;

  constructor({ auditWarn = false }: { readonly auditWarn?: boolean } = {}) {
    this.#auditWarn = auditWarn;
  }

  /** The number of objects. */
  get objects(): number {
    return this.#objects;
  }

  /** Counts the results of one object. */
  add(results: readonly ReportedResult[]): void {
    this.#objects++;
    for (const { policy, rules } of results) {
      for (const rule of rules) {
        this.#counts[reportedResult(policy, rule, { auditWarn: this.#auditWarn })]++;
        if (rule.result === "error") this.#erring.add(policy.key);
      }
    }
  }

  /** The counts. A policy with an error counts as an error even if it matched no object. */
  summary(snapshot: Snapshot): ReportSummary {
    const silent = faultyPolicies(snapshot).filter(({ key }) => !this.#erring.has(key));
    return { ...this.#counts, error: this.#counts.error + silent.length };
  }
}
