/** Frees the memory of a review, once. */
export type Free = () => void;

interface Waiting {
  readonly bytes: number;
  readonly begin: (free: Free | undefined) => void;
}

/**
 * Bounds the heap that reviews take from their parsing to their answer. A few characters of JSON can take twenty times
 * as much heap, so the bytes of bodies do not bound it. Reviews for which there is no room wait in the order in which
 * they came.
 */
export class ReviewMemory {
  readonly #most: number;
  readonly #waiting: Waiting[] = [];
  #used = 0;

  /** `most` is the number of bytes that all reviews together may take. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a review can have so many bytes at all. */
  fits(bytes: number): boolean {
    return bytes <= this.#most;
  }

  /**
   * Takes bytes when there is room for them, or all when they are more. The result is `undefined` when there is no room
   * within the time.
   */
  async take(wanted: number, milliseconds: number): Promise<Free | undefined> {
    const bytes = Math.min(wanted, this.#most);
    if (this.#waiting.length === 0 && this.#used + bytes <= this.#most) return this.#hold(bytes);
    return await new Promise((resolve) => {
      const waiting: Waiting = {
        bytes,
        begin: (free) => {
          clearTimeout(timer);
          resolve(free);
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

  #hold(bytes: number): Free {
    this.#used += bytes;
    return () => {
      this.#used -= bytes;
      this.#next();
    };
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#used + first.bytes > this.#most) return;
      this.#waiting.shift();
      first.begin(this.#hold(first.bytes));
    }
  }
}
