/**
 * A queue of list positions that returns the smallest first. It is a binary heap, so that taking all n positions
 * costs n log n.
 */
export class PositionQueue {
  readonly #heap: number[] = [];

  /** Adds a position. */
  put(position: number): void {
    const heap = this.#heap;
    let at = heap.length;
    for (; at > 0; at = parentOf(at)) {
      const parent = heap[parentOf(at)]!;
      if (parent <= position) break;
      heap[at] = parent;
    }
    heap[at] = position;
  }

  /** Takes the smallest position below a length and drops those beyond; `undefined` when there is none. */
  takeBelow(length: number): number | undefined {
    const [first] = this.#heap;
    if (first === undefined) return undefined;
    if (first >= length) {
      this.#heap.length = 0;
      return undefined;
    }
    this.#removeFirst();
    return first;
  }

  #removeFirst(): void {
    const heap = this.#heap, last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= last) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function parentOf(at: number): number {
  return (at - 1) >> 1;
}
