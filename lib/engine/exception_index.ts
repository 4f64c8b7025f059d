import { groupByKeys } from "../json/mod.ts";
import { type Candidate, keysOfCandidate } from "../match/mod.ts";
import type { CompiledException, RuleExceptions } from "./compiled.ts";

/** An exception from a policy. */
export interface IndexedException {
  readonly compiled: CompiledException;
  /** Its position among the exceptions from the policy. */
  readonly order: number;
  /** Whether it names a rule. */
  readonly names: (rule: string) => boolean;
}

/**
 * The exceptions from a policy by the kinds, namespaces and names that their match names exactly, so that thousands of
 * them are not tried one by one for each object. All rules of the policy share it: a rule keeps only the list of its
 * exceptions.
 */
export class ExceptionIndex {
  readonly #byKey: ReadonlyMap<string, readonly IndexedException[]>;
  readonly #keyless: ReadonlySet<IndexedException>;

  constructor(exceptions: readonly IndexedException[]) {
    const indexed = exceptions.length < worthIndexing ? none : exceptions;
    this.#byKey = groupByKeys(indexed, ({ compiled: { keys } }) => keys ?? none);
    this.#keyless = new Set(indexed.filter(({ compiled: { keys } }) => keys === undefined));
  }

  /** The exceptions of a rule; `listed` are those of them that the index has, in its order. */
  forRule(rule: string, listed: readonly IndexedException[]): RuleExceptions {
    const all = listed.map(({ compiled }) => compiled);
    if (all.length < worthIndexing) return { all, mayMatch: () => all };
    const keyless = listed.filter((exception) => this.#keyless.has(exception));
    return {
      all,
      mayMatch: (candidate) => {
        const keyed = this.#keyed(candidate, all.length - keyless.length);
        if (keyed === undefined) return all;
        const found = new Set([...keyless, ...keyed.filter(({ names }) => names(rule))]);
        return [...found].sort((one, other) => one.order - other.order).map(({ compiled }) => compiled);
      },
    };
  }

  /** The exceptions from the policy with a key of the object; `undefined` when there are as many as the limit. */
  #keyed(candidate: Candidate, limit: number): readonly IndexedException[] | undefined {
    const lists = keysOfCandidate(candidate).map((key) => this.#byKey.get(key) ?? none);
    return lists.reduce((sum, { length }) => sum + length, 0) < limit ? lists.flat() : undefined;
  }
}

const none: readonly never[] = [];

/** Fewer exceptions are tried as quickly as they are looked up. */
const worthIndexing = 16;
