import { compileConditions, type Conditions } from "../condition/mod.ts";
import { BoundedCache, type Fault, type Json } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";

/** The most characters of the texts of all conditions that are cached. */
const maxCharacters = 256 * 1024;

/**
 * The compiled conditions of rules, by their text. Most rules of a library have the same preconditions. Their compiled
 * form is in memory once, and in the processor's cache for each rule after the first: see "Few requests" in
 * docs/listener.md.
 */
export class CompiledConditions {
  readonly #cache = new BoundedCache<Conditions | Fault>(maxCharacters, (_, text) => text.length);

  /** Compiles the conditions of a rule; a fault when they have another shape. */
  of(written: Json, dialect: Dialect): Conditions | Fault {
    return this.#cache.getOrMake(
      `${dialect}\n${JSON.stringify(written)}`,
      () => compileConditions(written, { dialect, evaluator: "rule" }),
    );
  }
}
