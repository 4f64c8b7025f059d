/**
 * The room that the series of some metrics share, in characters of the metrics page. As with the room for policies, one
 * namespace has a quarter of it, and all namespaces together three quarters: whoever writes policies in a namespace
 * chooses what their rules are called.
 */
export class SeriesRoom {
  readonly #most: number;
  #used = 0;
  /** The part of it that is used for policies of namespaces. */
  #ofNamespaces = 0;
  readonly #ofNamespace = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes the characters of a series, of a policy of a namespace or of others; false when there is no room for it. */
  take(characters: number, namespace?: string): boolean {
    if (this.#used + characters > this.#most) return false;
    if (namespace !== undefined) {
      const used = (this.#ofNamespace.get(namespace) ?? 0) + characters;
      if (used > this.#most / 4 || this.#ofNamespaces + characters > this.#most * 3 / 4) return false;
    }
    this.#count(characters, namespace);
    return true;
  }

  /** Frees the characters of a series that was deleted. */
  giveBack(characters: number, namespace?: string): void {
    this.#count(-characters, namespace);
  }

  #count(characters: number, namespace: string | undefined): void {
    this.#used += characters;
    if (namespace === undefined) return;
    this.#ofNamespaces += characters;
    const used = (this.#ofNamespace.get(namespace) ?? 0) + characters;
    if (used === 0) this.#ofNamespace.delete(namespace);
    else this.#ofNamespace.set(namespace, used);
  }
}
