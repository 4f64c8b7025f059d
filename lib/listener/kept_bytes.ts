/** Counts the bytes that many keep together, up to a limit. */
export class KeptBytes {
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts more bytes, or fewer when negative. Returns false, and counts nothing, when there is no room for more. */
  keep(more: number): boolean {
    if (more > 0 && this.#count + more > this.#most) return false;
    this.#count += more;
    return true;
  }
}
