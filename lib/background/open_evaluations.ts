import type { Intake } from "./background_worker.ts";

/**
 * The evaluations of a rule for existing objects that have not ended, and whether all objects were evaluated. The list
 * of the objects counts as one of them, so that they do not end before it.
 */
export class OpenEvaluations {
  readonly #ended: (isComplete: boolean) => void;
  #open = 1;
  #isComplete = true;

  /** `ended` is called once, when the list and all evaluations have ended. */
  constructor(ended: (isComplete: boolean) => void) {
    this.#ended = ended;
  }

  /** Begins an evaluation: `begun` says whether there is one, and calls {@link end} later. */
  begin(begun: () => Intake): void {
    this.#open++;
    const intake = begun();
    if (intake !== "taken") this.#open--;
    if (intake === "no room") this.miss();
  }

  /** Notes that an object was not evaluated, or could not be listed. */
  miss(): void {
    this.#isComplete = false;
  }

  /** Notes that an evaluation, or the list, has ended. */
  end(end: "over" | "refused" = "over"): void {
    if (end === "refused") this.miss();
    if (--this.#open === 0) this.#ended(this.#isComplete);
  }
}
