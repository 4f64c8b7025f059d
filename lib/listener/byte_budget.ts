/**
 * Bytes that all bodies in flight may use together. A body that finds none left waits, and the oldest unfinished body
 * never does: so bodies that arrive side by side cannot all wait for each other. What is used is therefore at most
 * the total and one body.
 */
export class ByteBudget {
  readonly #total: number;
  readonly #shares = new Set<Share>();
  #used = 0;
  /** Shares that wait. Mostly there are none, and nobody has to be looked for. */
  #waiting = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  /** The share of a new body; `roomMade` is called when bytes that it was refused have become its own. */
  share(roomMade: () => void): Share {
    const share = new Share(this, roomMade);
    this.#shares.add(share);
    return share;
  }

  /** Whether a share may have the bytes, which are then its own. */
  take(share: Share, bytes: number): boolean {
    if (this.#used + bytes > this.#total && share !== this.#firstUnfinished()) return false;
    this.#used += bytes;
    return true;
  }

  /** A share begins to wait (1), or waits no more (-1). */
  waits(change: 1 | -1): void {
    this.#waiting += change;
  }

  /** A share is needed no more. */
  giveBack(share: Share, bytes: number): void {
    this.#used -= bytes;
    this.#shares.delete(share);
    this.tryAgain();
  }

  /** Bytes have become free, or another body is the oldest: those who wait have their turn, the oldest first. */
  tryAgain(): void {
    if (this.#waiting === 0) return;
    for (const share of this.#shares) share.tryAgain();
  }

  #firstUnfinished(): Share | undefined {
    for (const share of this.#shares) {
      if (!share.complete) return share;
    }
    return undefined;
  }
}

/** The bytes of one body. */
export class Share {
  readonly #budget: ByteBudget;
  readonly #roomMade: () => void;
  #bytes = 0;
  #wanted = 0;
  #complete = false;

  constructor(budget: ByteBudget, roomMade: () => void) {
    this.#budget = budget;
    this.#roomMade = roomMade;
  }

  /** Whether the whole body has arrived. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether the body waits for bytes. */
  get waiting(): boolean {
    return this.#wanted > 0;
  }

  /** Takes bytes; when it answers false they are taken later, and `roomMade` is called then. */
  take(bytes: number): boolean {
    if (this.#budget.take(this, bytes)) {
      this.#bytes += bytes;
      return true;
    }
    this.#wanted = bytes;
    this.#budget.waits(1);
    return false;
  }

  /** The body has arrived: it keeps its bytes and takes no more. */
  finish(): void {
    this.#complete = true;
    this.#budget.tryAgain();
  }

  /** The body is no longer needed. */
  release(): void {
    const bytes = this.#bytes;
    if (this.waiting) this.#budget.waits(-1);
    this.#bytes = this.#wanted = 0;
    this.#budget.giveBack(this, bytes);
  }

  /** For the budget: takes what was refused before, if it is there now. */
  tryAgain(): void {
    const wanted = this.#wanted;
    if (wanted === 0 || !this.#budget.take(this, wanted)) return;
    this.#wanted = 0;
    this.#bytes += wanted;
    this.#budget.waits(-1);
    this.#roomMade();
  }
}
