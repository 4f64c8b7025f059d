import type { Effect } from "../engine/mod.ts";
import { objectText } from "../kube/mod.ts";
import type { Log } from "../ports.ts";

/**
 * The effects that a comparison leaves out because they may have been carried out before. After a replica was killed
 * these are all patches of the last minute, so the log gets one line for each rule.
 */
export class LeftOutEffects {
  readonly #log: Log;
  readonly #byRule = new Map<string, { readonly first: Effect; further: number }>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(effect: Effect): void {
    const key = JSON.stringify([effect.policy, effect.rule]), found = this.#byRule.get(key);
    if (found === undefined) this.#byRule.set(key, { first: effect, further: 0 });
    else found.further++;
  }

  /** Writes the lines. */
  write(): void {
    for (const { first, further } of this.#byRule.values()) {
      this.#log.write(
        "warn",
        "effect left out: it may have been carried out before, and adds to what it finds",
        {
          policy: first.policy,
          rule: first.rule,
          object: objectText(first.object),
          ...(further > 0 && { further }),
        },
      );
    }
    this.#byRule.clear();
  }
}
