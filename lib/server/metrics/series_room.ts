/** The value of the label `policy_namespace` for a policy without one. */
export const noNamespace = "-";

/**
 * The room that the series of some metrics share, in characters of the metrics page. One namespace has a quarter of it
 * for its policies, and all namespaces have three quarters: who writes policies there chooses the names of rules.
 */
export class SeriesRoom {
  readonly #most: number;
  readonly #used = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes the characters of a series about a namespace's policy, or frees negative ones; false without room. */
  take(characters: number, namespace = noNamespace): boolean {
    const shares = namespace === noNamespace
      ? all
      : [...all, ["namespaces", 0.75], [`/${namespace}`, 0.25]] as const;
    const used = (of: string) => (this.#used.get(of) ?? 0) + characters;
    if (characters > 0 && shares.some(([of, share]) => used(of) > share * this.#most)) return false;
    for (const [of] of shares) this.#used.set(of, used(of));
    return true;
  }
}

/** Names of shares, and their parts of the room. Those of single namespaces begin with a slash. */
const all = [["all", 1]] as const;
