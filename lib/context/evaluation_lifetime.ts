import type { Lifetime } from "../ports.ts";

/** The lifetime of one evaluation, which ends with it. */
export class EvaluationLifetime implements Lifetime {
  waitsFor: string | undefined;
  readonly #frees: (() => void)[] = [];
  #hasEnded = false;

  whenEnded(free: () => void): void {
    if (this.#hasEnded) free();
    else this.#frees.push(free);
  }

  end(): void {
    this.#hasEnded = true;
    for (const free of this.#frees.splice(0)) free();
  }
}
