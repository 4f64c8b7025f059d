import type { Lifetime } from "../ports.ts";

/** The lifetime of an answer that no evaluation loads: it ends when the answer counts elsewhere or is dropped. */
export class LoadLifetime implements Lifetime {
  waitsFor: string | undefined;
  readonly #frees: (() => void)[] = [];

  whenEnded(free: () => void): void {
    this.#frees.push(free);
  }

  end(): void {
    for (const free of this.#frees.splice(0)) free();
  }
}
