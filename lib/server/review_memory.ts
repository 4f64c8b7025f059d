/** Frees the memory of a review, once. */
export type Free = () => void;

/** The memory of one review. */
export interface Grant {
  /** To be called when the review is parsed: from then on the heap itself shows its bytes. */
  readonly parsed: () => void;
  readonly free: Free;
}

/** Whether the heap has room for so many bytes more than it has now. */
export type HeapRoom = (bytes: number) => boolean;

/** Milliseconds until a review that found no room in the heap looks again. */
const retryDelay = 500;

interface Waiting {
  readonly bytes: number;
  readonly begin: (grant: Grant) => void;
}

/**
 * Bounds the heap that reviews take from their parsing to their answer. A few characters of JSON can take twenty times
 * as much heap, so the bytes of bodies do not bound it. Reviews for which there is no room wait in the order in which
 * they came. When policies and other reviews leave less of the heap than the bound, they wait for that room, too.
 */
export class ReviewMemory {
  readonly #most: number;
  readonly #hasRoom: HeapRoom;
  readonly #waiting: Waiting[] = [];
  #used = 0;
  /** Bytes of reviews that are not parsed yet, so the heap does not show them all. */
  #unparsed = 0;
  #isRetryDue = false;

  /** `most` is the number of bytes that all reviews together may take. */
  constructor(most: number, hasRoom: HeapRoom = () => true) {
    this.#most = most;
    this.#hasRoom = hasRoom;
  }

  /** Whether a review can have so many bytes at all. */
  fits(bytes: number): boolean {
    return bytes <= this.#most;
  }

  /**
   * Takes bytes when there is room for them, or all when they are more. The result is `undefined` when there is no room
   * within the time.
   */
  async take(wanted: number, milliseconds: number): Promise<Grant | undefined> {
    const bytes = Math.min(wanted, this.#most);
    if (this.#waiting.length === 0 && this.#isFree(bytes)) return this.#hold(bytes);
    return await new Promise((resolve) => {
      const waiting: Waiting = {
        bytes,
        begin: (grant) => {
          clearTimeout(timer);
          resolve(grant);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(undefined);
        // The reviews behind it may be smaller.
        this.#next();
      }, milliseconds);
      this.#waiting.push(waiting);
    });
  }

  #isFree(bytes: number): boolean {
    if (this.#used + bytes > this.#most) return false;
    if (this.#hasRoom(this.#unparsed + bytes)) return true;
    this.#retryLater();
    return false;
  }

  /** Others than reviews fill the heap, and they do not say when there is room. */
  #retryLater(): void {
    if (this.#isRetryDue) return;
    this.#isRetryDue = true;
    setTimeout(() => {
      this.#isRetryDue = false;
      this.#next();
    }, retryDelay);
  }

  #hold(bytes: number): Grant {
    this.#used += bytes;
    this.#unparsed += bytes;
    let unparsed = bytes;
    const parsed = (): void => {
      this.#unparsed -= unparsed;
      unparsed = 0;
    };
    const free = (): void => {
      parsed();
      this.#used -= bytes;
      this.#next();
    };
    return { parsed, free };
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!this.#isFree(first.bytes)) return;
      this.#waiting.shift();
      first.begin(this.#hold(first.bytes));
    }
  }
}
