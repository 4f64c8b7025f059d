import type { Snapshot } from "../engine/mod.ts";
import type { Json } from "../json/mod.ts";
import { type GeneratingRule, targetsOf } from "../rules/mod.ts";
import { type DownstreamSettings, downstreamSettings, makerOf } from "./downstream_rules.ts";

/**
 * The facts about a generate rule that decide what happens to its objects when it is removed or changed. They take less
 * memory than the compiled policy.
 */
export interface FormerRule {
  readonly maker: GeneratingRule;
  readonly settings: DownstreamSettings;
  readonly types: readonly { readonly apiVersion: string; readonly kind: string }[];
  /** The targets of a classic rule, compared with those of the rule that replaces it. */
  readonly targets: Json | undefined;
}

/** The generate rules of some policies. */
export function* generateRules({ policies }: Snapshot): Generator<FormerRule> {
  for (const { policy, rules } of policies) {
    for (const rule of rules.filter(({ type }) => type === "generate")) {
      yield {
        maker: makerOf(policy, rule),
        settings: downstreamSettings(rule),
        types: (rule.body.downstream?.types ?? []).map(({ apiVersion, kind }) => ({ apiVersion, kind })),
        targets: rule.rule.body.kind === "generate" ? targetsOf(rule.rule.body) : undefined,
      };
    }
  }
}

interface Kept {
  readonly rule: FormerRule;
  readonly namespace: string;
}

/** The most characters of all rules that are kept, as JSON: some thousand rules. */
const mostCharacters = 2_000_000;

/**
 * The former rules whose objects could not all be deleted or released, the oldest first. Whoever may write policies
 * chooses how many there are. So their memory is bounded, and when it is used up, the policies of the namespace that
 * holds most give way, and not those of others.
 *
 * ```ts
 * import { FormerRules } from "./former_rules.ts";
 * import assert from "node:assert/strict";
 * const settings = { synchronize: true, onPolicyDelete: "delete" } as const;
 * const rule = (name: string, namespace?: string) => ({
 *   maker: { policy: { name, namespace }, rule: "r", language: "classic" as const },
 *   settings,
 *   types: [],
 *   targets: undefined,
 * });
 * const former = new FormerRules(400);
 * assert.deepEqual(former.add(rule("all")), []);
 * assert.deepEqual(former.add(rule("one", "team")), []);
 * const given = former.add(rule("two", "team"));
 * assert.deepEqual(given.map(({ maker }) => maker.policy.name), ["one"]);
 * assert.deepEqual(former.all.map(({ maker }) => maker.policy.name), ["all", "two"]);
 * ```
 */
export class FormerRules {
  readonly #mostCharacters: number;
  /** By the rule as JSON, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(most: number = mostCharacters) {
    this.#mostCharacters = most;
  }

  get all(): readonly FormerRule[] {
    return [...this.#kept.values()].map(({ rule }) => rule);
  }

  /** Keeps a rule once; returns the rules that are forgotten for it. */
  add(rule: FormerRule): readonly FormerRule[] {
    const key = JSON.stringify(rule);
    if (this.#kept.has(key)) return [];
    this.#kept.set(key, { rule, namespace: rule.maker.policy.namespace ?? "" });
    this.#characters += key.length;
    const forgotten: FormerRule[] = [];
    while (this.#characters > this.#mostCharacters) {
      const largest = this.#largestNamespace();
      const [oldest, { rule: victim }] = [...this.#kept].find(([, { namespace }]) => namespace === largest)!;
      this.#remove(oldest);
      forgotten.push(victim);
    }
    return forgotten;
  }

  delete(rule: FormerRule): void {
    this.#remove(JSON.stringify(rule));
  }

  #remove(key: string): void {
    if (this.#kept.delete(key)) this.#characters -= key.length;
  }

  /** The namespace whose policies hold most. */
  #largestNamespace(): string | undefined {
    const characters = new Map<string, number>();
    for (const [key, { namespace }] of this.#kept) {
      characters.set(namespace, (characters.get(namespace) ?? 0) + key.length);
    }
    return [...characters].sort((left, right) => right[1] - left[1])[0]?.[0];
  }
}
