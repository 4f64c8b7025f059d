import type { Stages } from "../json/mod.ts";
import type { LoadTracker, Turn } from "./load_tracker.ts";

/** The result of work in stages, or why there is none yet. */
export type StagedResult<T> = { readonly value: T } | { readonly stopped: Exclude<Turn, "go"> };

/** Work in stages of which some are done. */
export class StagedWork<T> {
  #stages: Stages<T> | undefined;
  #result: { readonly value: T } | undefined;

  constructor(stages: Stages<T>) {
    this.#stages = stages;
  }

  /**
   * Goes on as long as the request's turn lasts. When that ends, the rule is evaluated again after a pause, and the work
   * goes on where it stopped.
   */
  advance(store: LoadTracker): StagedResult<T> {
    while (this.#result === undefined) {
      const turn = store.beforeStage();
      if (turn !== "go") return { stopped: turn };
      const stage = this.#stages!.next();
      if (stage.done !== true) continue;
      this.#result = { value: stage.value };
      this.#stages = undefined;
    }
    return this.#result;
  }
}

/** Does work of one rule in stages; see {@link StagedWork}. */
export function inStages<T>(store: LoadTracker, begin: () => Stages<T>): StagedResult<T> {
  return store.loop(() => new StagedWork(begin())).state.advance(store);
}
