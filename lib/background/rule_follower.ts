import type { Snapshot } from "../engine/mod.ts";
import { isFault } from "../json/mod.ts";
import { policyKey } from "../policy/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { carryOut } from "./carry_out.ts";
import { followRule } from "./follow_policies.ts";
import { type FormerRule, FormerRules, generateRules } from "./former_rules.ts";

/** The ports of a {@link RuleFollower}. */
export interface RuleFollowerOptions {
  readonly ports: Ports;
  readonly log: Log;
  /** Whether this replica still does the work. It is called before each rule. */
  readonly goesOn: () => boolean;
}

/**
 * Deletes or releases the objects of generate rules that were removed or changed. Rules for which that fails are tried
 * again with the next change or comparison.
 */
export class RuleFollower {
  readonly #options: RuleFollowerOptions;
  readonly #unfollowed = new FormerRules();

  constructor(options: RuleFollowerOptions) {
    this.#options = options;
  }

  /** Follows the change from one set of policies to another, and the changes that could not be followed before. */
  async follow(before: Snapshot | undefined, snapshot: Snapshot): Promise<void> {
    const { log, goesOn } = this.#options;
    const changed = before === undefined || before === snapshot ? [] : generateRules(before);
    for (const rule of [...this.#unfollowed.all, ...changed]) {
      if (goesOn() && await this.#followRule(rule, snapshot)) this.#unfollowed.delete(rule);
      else {
        for (const { maker } of this.#unfollowed.add(rule)) {
          const about = { policy: policyKey(maker.policy), rule: maker.rule };
          log.write("error", "objects of a changed rule stay: too many such rules wait", about);
        }
      }
    }
  }

  /** Deletes and releases the objects of a former rule; false when some are left to another try. */
  async #followRule(former: FormerRule, snapshot: Snapshot): Promise<boolean> {
    const { ports, log } = this.#options;
    const effects = await followRule(former, { snapshot, ports });
    if (isFault(effects)) {
      const { policy, rule } = former.maker;
      const cause = effects.message;
      log.write("error", "objects of a changed rule were not found", {
        policy: policyKey(policy),
        rule,
        cause,
      });
      return false;
    }
    let isFollowed = true;
    for (const effect of effects) {
      const carried = await carryOut(effect, ports.cluster);
      const { policy, rule, reason } = effect;
      if (carried.done) log.write("info", `effect: ${effect.verb}`, { policy, rule, reason });
      else {
        log.write("error", "effect failed", { policy, rule, reason, cause: carried.message });
        isFollowed &&= !carried.retryable;
      }
    }
    return isFollowed;
  }
}
