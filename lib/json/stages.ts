/** Long work cut into stages, between which others may work: each `yield` ends one, and what is returned is the result. */
export type Stages<T> = Generator<undefined, T>;

/** Does all stages at once. */
export function completed<T>(stages: Stages<T>): T {
  for (;;) {
    const stage = stages.next();
    if (stage.done === true) return stage.value;
  }
}
