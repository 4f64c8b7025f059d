import type { RuleInForce } from "./rules_in_force.ts";

/**
 * A time in which the effects of a rule may be missing: the objects that were created or updated then are evaluated for
 * it.
 */
export interface UnseenTime {
  /** Milliseconds since 1970, by the API server's clock. */
  readonly since: number;
  /** The effects of later objects were carried out when the objects were admitted. */
  readonly until: number;
  /**
   * The changes of objects of that time for which the rule was already evaluated when their list broke off, by
   * `changeKey`. They are not evaluated again. It stays empty for generate rules, which make nothing twice.
   */
  readonly evaluated: Set<string>;
}

/** The times in which effects of rules may be missing, one for each rule, until its objects were all evaluated. */
export class UnseenTimes {
  readonly #times = new Map<string, UnseenTime>();

  /** Adds a time to that of a rule, by the rule's key. */
  add(key: string, { since, until, evaluated }: UnseenTime): void {
    const former = this.#times.get(key);
    this.#times.set(key, {
      since: Math.min(since, former?.since ?? Infinity),
      until: Math.max(until, former?.until ?? -Infinity),
      evaluated: new Set([...evaluated, ...former?.evaluated ?? []]),
    });
  }

  /** Removes the time of a rule and returns it. Add it again if not all of its objects were evaluated. */
  take({ key, since }: Pick<RuleInForce, "key" | "since">): UnseenTime | undefined {
    const time = this.#times.get(key);
    this.#times.delete(key);
    return time && { ...time, since: Math.max(time.since, since) };
  }

  /** The earliest of all times; `undefined` when there is none. */
  get since(): number | undefined {
    const times = [...this.#times.values()].map(({ since }) => since);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Forgets all times. */
  clear(): void {
    this.#times.clear();
  }

  /** Forgets the times of rules that are gone. */
  keep(rules: readonly RuleInForce[]): void {
    const keys = new Set(rules.map(({ key }) => key));
    for (const key of this.#times.keys()) if (!keys.has(key)) this.#times.delete(key);
  }
}
