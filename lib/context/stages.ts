import type { Stages } from "../json/mod.ts";
import type { LoadTracker } from "./load_tracker.ts";
import type { GoAhead } from "./time_slices.ts";

/** The result of work in stages, or why it is not finished. */
export type StagedResult<T> = { readonly value: T } | { readonly stopped: Exclude<GoAhead, "go"> };

/** Work in stages, with its progress. */
export class StagedWork<T> {
  #stages: Stages<T> | undefined;
  #result: { readonly value: T } | undefined;

  constructor(stages: Stages<T>) {
    this.#stages = stages;
  }

  /**
   * Continues while the request's slice lasts. After that the rule pauses and is evaluated again, and the work
   * continues where it stopped.
   */
  advance(tracker: LoadTracker): StagedResult<T> {
    while (this.#result === undefined) {
      const goAhead = tracker.beforeStage();
      if (goAhead !== "go") return { stopped: goAhead };
      const stage = this.#stages!.next();
      if (stage.done !== true) continue;
      this.#result = { value: stage.value };
      this.#stages = undefined;
    }
    return this.#result;
  }
}

/** Runs work of one rule in stages; see {@link StagedWork}. */
export function inStages<T>(tracker: LoadTracker, begin: () => Stages<T>): StagedResult<T> {
  return tracker.loop(() => new StagedWork(begin())).state.advance(tracker);
}
