import type { Deadline } from "./deadline.ts";
import { estimateHeld, type HeldReview, type ReviewHeap } from "./review_heap.ts";

interface Pending extends HeldReview {
  readonly deadline: Deadline;
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

  /** Returns a function that adds the review with this heap; the result of that is called when it is answered. */
  waits(heap: ReviewHeap): (deadline: Deadline) => () => void {
    return (deadline) => this.#add(heap, deadline);
  }

  #add(heap: ReviewHeap, deadline: Deadline): () => void {
    const pending: Pending = { deadline, heap, bytes: heap.bytes };
    this.#pending.add(pending);
    this.#used += pending.bytes;
    if (this.#used > this.#most) this.#makeRoom();
    return () => this.#remove(pending);
  }

  /** Reads texts for their estimates, and then ends loads, oldest first, until the others fit. */
  #makeRoom(): void {
    this.#used = estimateHeld(this.#pending, this.#used, this.#most);
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
