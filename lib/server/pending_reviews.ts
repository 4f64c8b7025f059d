import type { Deadline } from "./deadline.ts";
import type { HeapRoom } from "./review_memory.ts";
import { estimateHeld, type HeldReview, type ReviewHeap } from "./review_heap.ts";

interface Pending extends HeldReview {
  readonly deadline: Deadline;
}

/**
 * The short reviews that wait for loads. Their heap is bounded: when they take more, the loads of the review that has
 * waited longest end, and its failurePolicy decides. So nobody whose loads are slow keeps the others waiting. The same
 * happens when the heap is full of other things, and these reviews take a quarter of their bound or more.
 */
export class PendingReviews {
  readonly #most: number;
  readonly #hasRoom: HeapRoom;
  readonly #pending = new Set<Pending>();
  #used = 0;

  /** `most` is the number of bytes of heap that all of them may take. */
  constructor(most: number, hasRoom: HeapRoom = () => true) {
    this.#most = most;
    this.#hasRoom = hasRoom;
  }

  /** Returns a function that adds the review with this heap; the result of that is called when it is answered. */
  waits(heap: ReviewHeap): (deadline: Deadline) => () => void {
    return (deadline) => this.#add(heap, deadline);
  }

  #add(heap: ReviewHeap, deadline: Deadline): () => void {
    const pending: Pending = { deadline, heap, bytes: heap.bytes };
    this.#pending.add(pending);
    this.#used += pending.bytes;
    const bound = this.#bound();
    if (this.#used > bound) this.#makeRoom(bound);
    return () => this.#remove(pending);
  }

  /** A full heap leaves them a quarter. It is not looked at before they take that. */
  #bound(): number {
    const quarter = this.#most / 4;
    return this.#used <= quarter || this.#hasRoom(quarter) ? this.#most : quarter;
  }

  /** Reads texts for their estimates, and then ends loads, oldest first, until the others fit. */
  #makeRoom(bound: number): void {
    this.#used = estimateHeld(this.#pending, this.#used, bound);
    for (const pending of this.#pending) {
      if (this.#used <= bound) return;
      this.#remove(pending);
      pending.deadline.end();
    }
  }

  #remove(pending: Pending): void {
    if (this.#pending.delete(pending)) this.#used -= pending.bytes;
  }
}
