/** Bytes that each query may hold even when others hold everything: signatures and manifests are seldom larger. */
const freeBytes = 128 * 1024;
/** A query may hold all bytes divided by this number. */
const mostParts = 2;

/** The bounds of {@link ContentMemory}. */
export interface ContentMemoryOptions {
  /** The bytes that all queries may hold together. */
  readonly most: number;
  /** Called before a query takes more than some kilobytes: a server collects the garbage of earlier content there. */
  readonly beforeMore?: (() => void) | undefined;
}

/**
 * Bounds the memory of content that registries send. Whoever creates a Pod names its registries, and these may send
 * dozens of layers of 10 MB for one image, or JSON that takes twenty times as much heap as its text. A query that
 * finds no room fails; it does not wait, as others may hold their content until their deadlines.
 */
export class ContentMemory {
  readonly #most: number;
  readonly #beforeMore: (() => void) | undefined;
  #used = 0;

  constructor({ most, beforeMore }: ContentMemoryOptions) {
    this.#most = most;
    this.#beforeMore = beforeMore;
  }

  /** Runs a query, and frees its memory when it ends. */
  async query<T>(run: (memory: QueryMemory) => Promise<T>): Promise<T> {
    let held = 0;
    try {
      return await run({
        take: (bytes) => {
          const isFree = held + bytes <= freeBytes;
          const fits = this.#used + bytes <= this.#most && held + bytes <= this.#most / mostParts;
          if (!isFree && !fits) return false;
          if (!isFree) this.#beforeMore?.();
          held += bytes;
          this.#used += bytes;
          return true;
        },
      });
    } finally {
      this.#used -= held;
    }
  }
}

/** The memory of one query for content of registries. */
export interface QueryMemory {
  /** Takes bytes until the query ends; false when there is no room for them. */
  take(bytes: number): boolean;
}
