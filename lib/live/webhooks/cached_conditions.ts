import type { CompiledPolicy } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { policyConditions } from "./match_conditions.ts";

/** Returns the match conditions of a policy's webhook: see {@link policyConditions}. */
export type ConditionsOf = (compiled: CompiledPolicy) => readonly JsonObject[];

/**
 * The match conditions of policies, computed once for each compiled form: whether the API server accepts an expression
 * shows only when it is compiled.
 */
export class CachedConditions {
  readonly #found = new WeakMap<CompiledPolicy, readonly JsonObject[]>();

  /** The conditions of a policy. */
  readonly of: ConditionsOf = (compiled) => {
    const cached = this.#found.get(compiled);
    if (cached !== undefined) return cached;
    const conditions = policyConditions(compiled);
    this.#found.set(compiled, conditions);
    return conditions;
  };
}
