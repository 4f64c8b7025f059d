/** The state of one effect of an UpdateRequest. */
export type EffectState =
  /** The worker has it. */
  | { readonly is: "open" }
  /**
   * It begins after some rounds: when the worker has room, when the replica that made it does not end its tries, or
   * when it may be tried again.
   */
  | { readonly is: "waiting"; readonly for: "room" | "replica" | "retry"; readonly rounds: number }
  | { readonly is: "done" }
  | { readonly is: "failed"; readonly message: string };

/** The effects of an UpdateRequest that are not done. */
export type UndoneEffects = "some effects" | "nothing" | { readonly failed: string };

/**
 * The states of the effects of UpdateRequests, by name and index, so that an effect which succeeds neither hides one
 * that failed nor is done again with it.
 *
 * ```ts
 * import { EffectProgress } from "./effect_progress.ts";
 * import assert from "node:assert/strict";
 * const progress = new EffectProgress();
 * progress.set("ur-1", 0, { is: "failed", message: "no right" });
 * progress.set("ur-1", 1, { is: "open" });
 * assert.equal(progress.remainder("ur-1"), "some effects");
 * progress.end("ur-1", 1, { is: "done" });
 * assert.deepEqual(progress.remainder("ur-1"), { failed: "no right" });
 * ```
 */
export class EffectProgress {
  readonly #states = new Map<string, Map<number, EffectState>>();

  get(name: string, index: number): EffectState | undefined {
    return this.#states.get(name)?.get(index);
  }

  set(name: string, index: number, state: EffectState): void {
    const states = this.#states.get(name) ?? new Map<number, EffectState>();
    this.#states.set(name, states.set(index, state));
  }

  /** Notes how an effect ended; false when its UpdateRequest was deleted meanwhile. */
  end(name: string, index: number, state: EffectState): boolean {
    if (this.get(name, index) === undefined) return false;
    this.set(name, index, state);
    return true;
  }

  /** Notes that an UpdateRequest was deleted. */
  forget(name: string): void {
    this.#states.delete(name);
  }

  /** The effects of an UpdateRequest that are not done; their reasons when all that are left failed. */
  remainder(name: string): UndoneEffects {
    const states = [...this.#states.get(name)?.values() ?? []];
    if (states.some((state) => state.is === "open" || state.is === "waiting")) return "some effects";
    const messages = states.flatMap((state) => state.is === "failed" ? [state.message] : []);
    return messages.length === 0 ? "nothing" : { failed: [...new Set(messages)].join("; ") };
  }

  /** The indices of the effects that failed. */
  failed(name: string): number[] {
    return [...this.#states.get(name) ?? []].flatMap(([index, { is }]) => is === "failed" ? [index] : []);
  }

  /** Whether an effect waits. */
  get isWaiting(): boolean {
    return [...this.#states.values()].some((states) =>
      [...states.values()].some((state) => state.is === "waiting")
    );
  }

  /** Ends a round of waiting; returns the names of the UpdateRequests with effects that begin now. */
  endRound(): ReadonlySet<string> {
    const due = new Set<string>();
    for (const [name, states] of this.#states) {
      for (const [index, state] of states) {
        if (state.is !== "waiting") continue;
        states.set(index, { ...state, rounds: state.rounds - 1 });
        if (state.rounds <= 1) due.add(name);
      }
    }
    return due;
  }
}
