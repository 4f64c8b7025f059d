import { densestHeap, heapSizeOfText } from "../json/mod.ts";

/**
 * The bytes of heap that a review takes: a rough upper bound, which costs nothing, until {@link estimate} reads the
 * text. Most reviews need no estimate. To read the text of a Pod's review for it takes 7 microseconds, a sixth of a
 * request to an Audit policy without TLS.
 */
export class ReviewHeap {
  #text: string | undefined;
  #bytes: number;

  private constructor(bytes: number, text?: string) {
    this.#bytes = bytes;
    this.#text = text;
  }

  /** The heap of the review with this text. */
  static ofText(text: string): ReviewHeap {
    return new ReviewHeap(text.length * densestHeap, text);
  }

  /** The heap of a review whose text was read for the estimate. */
  static ofBytes(bytes: number): ReviewHeap {
    return new ReviewHeap(bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Estimates the bytes, once, and returns them. */
  estimate(): number {
    if (this.#text !== undefined) this.#bytes = heapSizeOfText(this.#text);
    this.#text = undefined;
    return this.#bytes;
  }
}

/** Something that keeps a review, and the bytes that are counted for it. */
export interface HeldReview {
  readonly heap: ReviewHeap;
  bytes: number;
}

/**
 * Replaces upper bounds by estimates, in the order of the reviews, until the `used` bytes of all of them are at most
 * `most`. Returns the bytes that are used then.
 */
export function estimateHeld(reviews: Iterable<HeldReview>, used: number, most: number): number {
  for (const review of reviews) {
    if (used <= most) break;
    const bytes = review.heap.estimate();
    used += bytes - review.bytes;
    review.bytes = bytes;
  }
  return used;
}
