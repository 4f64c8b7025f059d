/** The share of the budget that objects of the whole cluster may take besides it. */
const clusterShare = 1 / 4;

/**
 * The bytes of objects that several watched kinds may keep together. Objects of the whole cluster have a share besides
 * the budget. Users who create objects in one namespace can use up the budget, but must not push out ClusterPolicies,
 * because Postern would then deny requests of the whole cluster.
 */
export class ObjectBudget {
  /** The bytes that objects of any scope may take. */
  readonly most: number;
  #used = 0;
  #usedByCluster = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** Whether there is room for an object of a namespace, "" for one of the whole cluster. */
  fits(namespace: string, bytes: number): boolean {
    if (this.#used + bytes <= this.most) return true;
    return namespace === "" && this.#usedByCluster + bytes <= this.most * clusterShare;
  }

  /** Counts the bytes of an object, negative ones when it is dropped. */
  add(namespace: string, bytes: number): void {
    this.#used += bytes;
    if (namespace === "") this.#usedByCluster += bytes;
  }
}
