/**
 * Long work cut into stages, between which other requests are handled: each `yield` ends a stage, and the returned
 * value is the result.
 */
export type Stages<T> = Generator<undefined, T>;

/** Runs all stages at once. */
export function completed<T>(stages: Stages<T>): T {
  for (;;) {
    const stage = stages.next();
    if (stage.done === true) return stage.value;
  }
}
