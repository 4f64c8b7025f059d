import type { CompiledPolicy, WebhookPhase } from "../../engine/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { webhookTargets } from "./policy_targets.ts";
import type { Target } from "./target.ts";

/** Returns the targets of a policy, or of a policy with one of its rules: see {@link webhookTargets}. */
export type TargetsOf = (compiled: CompiledPolicy, phase: WebhookPhase) => readonly Target[];

/**
 * The targets of policies, computed once for each compiled form as long as the cluster serves the same resources: when
 * one policy changes, those of all others stay.
 */
export class CachedTargets {
  /** The served resources, as text: each discovery returns new objects. */
  #served = "";
  #found = emptyTargets();

  /** The targets among served resources. */
  among(served: readonly ServedResource[]): TargetsOf {
    const text = JSON.stringify(served);
    if (text !== this.#served) {
      this.#served = text;
      this.#found = emptyTargets();
    }
    const found = this.#found;
    return (compiled, phase) => {
      const { rules } = compiled;
      // A policy with one of its rules is another object each time.
      const key = rules.length === 1 ? rules[0]! : rules, cached = found[phase].get(key);
      if (cached !== undefined) return cached;
      const targets = webhookTargets(compiled, phase, served);
      found[phase].set(key, targets);
      return targets;
    };
  }
}

function emptyTargets(): Readonly<Record<WebhookPhase, WeakMap<object, readonly Target[]>>> {
  return { mutate: new WeakMap(), validate: new WeakMap() };
}
