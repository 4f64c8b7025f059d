import { heapSizeOfText } from "../json/mod.ts";
import type { Deadline } from "./deadline.ts";

/** Bytes of heap for each character of the densest JSON. */
const densest = 24;

interface Pending {
  readonly deadline: Deadline;
  readonly text: string;
  /** The bytes of heap: a rough upper bound, or an estimate after the text was read for it. */
  bytes: number;
  isEstimated: boolean;
}

/**
 * The short reviews that wait for loads. Their heap is bounded: when they take more, the loads of the review that has
 * waited longest end, and its failurePolicy decides. So nobody whose loads are slow keeps the others waiting.
 */
export class PendingReviews {
  readonly #most: number;
  readonly #pending = new Set<Pending>();
  #used = 0;

  /** `most` is the number of bytes of heap that all of them may take. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns a function that adds the review of this text; the result of that is called when it is answered. */
  waits(text: string): (deadline: Deadline) => () => void {
    return (deadline) => this.#add(text, deadline);
  }

  #add(text: string, deadline: Deadline): () => void {
    const pending: Pending = { deadline, text, bytes: text.length * densest, isEstimated: false };
    this.#pending.add(pending);
    this.#used += pending.bytes;
    if (this.#used > this.#most) this.#makeRoom();
    return () => this.#remove(pending);
  }

  /** Reads texts for their estimates, and then ends loads, oldest first, until the others fit. */
  #makeRoom(): void {
    for (const pending of this.#pending) {
      if (this.#used <= this.#most) return;
      if (pending.isEstimated) continue;
      pending.isEstimated = true;
      this.#used -= pending.bytes;
      pending.bytes = heapSizeOfText(pending.text);
      this.#used += pending.bytes;
    }
    for (const pending of this.#pending) {
      if (this.#used <= this.#most) return;
      this.#remove(pending);
      pending.deadline.end();
    }
  }

  #remove(pending: Pending): void {
    if (this.#pending.delete(pending)) this.#used -= pending.bytes;
  }
}
