import { KeptBytes } from "./kept_bytes.ts";

/**
 * Limits the bytes that all unanswered bodies use together. A body waits when no bytes are left. The oldest unfinished
 * body may go beyond the total, so that bodies cannot block each other; until it is answered no other one may. The
 * bodies therefore use at most the total plus one body.
 */
export class ByteBudget {
  readonly #total: number;
  readonly #mostUnfinished: number;
  readonly #shares = new Set<Share>();
  #used = 0;
  /** The bytes in use of bodies that are not complete. */
  #unfinished = 0;
  /** Bytes that arrived for shares that wait. */
  readonly #kept: KeptBytes;
  /** The share that went beyond the total. */
  #beyond: Share | undefined;
  /** The number of shares that wait. It is mostly 0, and `tryAgain` then skips its search. */
  #waiting = 0;
  /** Whether the shares try again at the moment, and whether bytes have become free since they began. */
  #areTrying = false;
  #hasMore = false;

  /**
   * Bodies that wait may keep `mostKept` bytes together, besides the total. Those that are not complete may use
   * `mostUnfinished` of the total: the rest is for bodies that arrive as a whole, which are answered soon.
   */
  constructor(total: number, { mostKept = Infinity, mostUnfinished = total } = {}) {
    this.#total = total;
    this.#kept = new KeptBytes(mostKept);
    this.#mostUnfinished = mostUnfinished;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  /** Whether bodies wait for bytes. */
  get isShort(): boolean {
    return this.#waiting > 0;
  }

  /** Makes the share of a new body. The share calls `roomMade` when it gets bytes that it had to wait for. */
  share(roomMade: () => void): Share {
    const share = new Share(this, roomMade);
    this.#shares.add(share);
    return share;
  }

  /** Gives a share the bytes if they are free, and returns whether it did. */
  take(share: Share, bytes: number): boolean {
    const isShort = !share.isWhole && this.#unfinished + bytes > this.#mostUnfinished;
    if (isShort || this.#used + bytes > this.#total) {
      if ((this.#beyond ?? this.#firstUnfinished()) !== share) return false;
      this.#beyond = share;
    }
    this.#used += bytes;
    this.#unfinished += bytes;
    return true;
  }

  /** Counts the bytes of a body that is complete now. */
  finish(bytes: number): void {
    this.#unfinished -= bytes;
    this.tryAgain();
  }

  /** Counts bytes that a waiting share keeps, negative ones when it no longer does; false when there is no room. */
  keep(bytes: number): boolean {
    return this.#kept.keep(bytes);
  }

  /** Counts a share that begins to wait (1) or stops waiting (-1). */
  waits(change: 1 | -1): void {
    this.#waiting += change;
  }

  /** Frees the bytes of a share and removes the share. */
  giveBack(share: Share, bytes: number): void {
    this.#used -= bytes;
    if (!share.complete) this.#unfinished -= bytes;
    this.#shares.delete(share);
    if (this.#beyond === share) this.#beyond = undefined;
    this.tryAgain();
  }

  /**
   * Lets the waiting shares try again, oldest first: bytes have become free, or another body is now the oldest. A share
   * that gets its bytes may be answered and free them at once. The first call goes on for that; calls within it return,
   * because thousands of nested calls would exhaust the stack.
   */
  tryAgain(): void {
    if (this.#waiting === 0) return;
    this.#hasMore = true;
    if (this.#areTrying) return;
    this.#areTrying = true;
    try {
      while (this.#hasMore) {
        this.#hasMore = false;
        for (const share of this.#shares) share.tryAgain();
      }
    } finally {
      this.#areTrying = false;
    }
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
  /** Bytes that arrived while it waits. */
  #kept = 0;
  #complete = false;
  #isWhole = false;

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

  /** Whether other bodies wait for the bytes of this one, which has not arrived as a whole. */
  get holdsUp(): boolean {
    return !this.#complete && this.#bytes > 0 && !this.waiting && this.#budget.isShort;
  }

  /** Whether the body arrived as a whole, so that it is complete as soon as it has its bytes. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Takes bytes, those of the `whole` body or of a part. If it returns false, the share takes them later and then calls
   * `roomMade`.
   */
  take(bytes: number, piece: "whole" | "part" = "part"): boolean {
    this.#isWhole = piece === "whole";
    if (this.#budget.take(this, bytes)) {
      this.#bytes += bytes;
      return true;
    }
    this.#wanted = bytes;
    this.#budget.waits(1);
    return false;
  }

  /** Counts bytes that arrived while the share waits. Returns false when all shares that wait would keep too many. */
  keep(bytes: number): boolean {
    if (!this.#budget.keep(bytes)) return false;
    this.#kept += bytes;
    return true;
  }

  /** Marks the body as complete: it keeps its bytes and takes no more. */
  finish(): void {
    this.#complete = true;
    this.#budget.finish(this.#bytes);
  }

  /** Frees the bytes of the body, because nobody needs it any longer. */
  release(): void {
    const bytes = this.#bytes;
    if (this.waiting) this.#stopWaiting();
    this.#bytes = 0;
    this.#budget.giveBack(this, bytes);
  }

  /** Takes the bytes that the share waits for, if they are free now. Only the budget calls this. */
  tryAgain(): void {
    const wanted = this.#wanted;
    if (wanted === 0 || !this.#budget.take(this, wanted)) return;
    this.#stopWaiting();
    this.#bytes += wanted;
    this.#roomMade();
  }

  #stopWaiting(): void {
    this.#budget.waits(-1);
    this.#budget.keep(-this.#kept);
    this.#wanted = this.#kept = 0;
  }
}
