/** The share of the budget that objects of the whole cluster may take besides it. */
const clusterShare = 1 / 4;

/** The share that objects of one namespace may take, so that there is room for those of other namespaces. */
const namespaceShare = 1 / 2;

/**
 * The bytes of objects that several watched kinds may keep together. Objects of the whole cluster have a share besides
 * the budget. Users who create objects in one namespace can use up the budget, but must not push out ClusterPolicies,
 * because Postern would then deny requests of the whole cluster.
 */
export class ObjectBudget {
  /** The bytes that objects of any scope may take. */
  readonly most: number;
  #used = 0;
  /** The bytes of each namespace, "" for objects of the whole cluster. */
  readonly #usedBy = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** Whether there is room for an object of a namespace, "" for one of the whole cluster. */
  fits(namespace: string, bytes: number): boolean {
    const isWithinAll = this.#used + bytes <= this.most, used = (this.#usedBy.get(namespace) ?? 0) + bytes;
    return namespace === ""
      ? isWithinAll || used <= this.most * clusterShare
      : isWithinAll && used <= this.most * namespaceShare;
  }

  /** Counts the bytes of an object, negative ones when it is dropped. */
  add(namespace: string, bytes: number): void {
    this.#used += bytes;
    const used = (this.#usedBy.get(namespace) ?? 0) + bytes;
    if (used === 0) this.#usedBy.delete(namespace);
    else this.#usedBy.set(namespace, used);
  }
}
