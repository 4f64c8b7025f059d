import type { RuleResult } from "../engine/mod.ts";
import { BoundedCache } from "../json/mod.ts";
import { goYaml } from "../yaml/mod.ts";

/** The most characters of all kept texts and their keys. */
const mostCharacters = 256 * 1024;

/**
 * The parts of the messages of denials, each about one policy. Objects that break the same rules in the same way get
 * the same text, and to write it as YAML takes as long as to find that a pattern does not match, so texts are kept.
 */
export class DenialBlocks {
  readonly #texts = new BoundedCache<string>(mostCharacters, (text, key) => text.length + key.length);

  /** A policy with its rules and their messages, as Kyverno prints them in YAML. */
  block(policy: string, rules: readonly Pick<RuleResult, "rule" | "message">[]): string {
    // Objects may put any characters into messages, so lengths separate the parts.
    let key = `${policy.length} ${policy}`;
    for (const { rule, message } of rules) key += `${rule.length} ${message.length} ${rule}${message}`;
    return this.#texts.getOrMake(
      key,
      () => goYaml({ [policy]: Object.fromEntries(rules.map(({ rule, message }) => [rule, message])) }),
    );
  }
}
