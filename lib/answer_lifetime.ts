import type { Lifetime } from "./ports.ts";

/**
 * The lifetime of loaded answers: of those of an evaluation until it ends, and of those of a global context until the
 * entry keeps or drops them.
 */
export class AnswerLifetime implements Lifetime {
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
