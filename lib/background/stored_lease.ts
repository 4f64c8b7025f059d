import type { JsonObject } from "../json/mod.ts";
import { collectionPath, objectPath } from "../kube/mod.ts";
import type { Answer, ApiCall, Cluster } from "../ports.ts";

const leases = { group: "coordination.k8s.io", version: "v1", plural: "leases", namespaced: true };

/** The Lease to read and write, and the milliseconds that a call may take. */
export interface StoredLeaseOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly name: string;
  readonly timeout: number;
}

/** The Lease as the API server stores it (`coordination.k8s.io/v1`). */
export class StoredLease {
  readonly #options: StoredLeaseOptions;

  constructor(options: StoredLeaseOptions) {
    this.#options = options;
  }

  /** The Lease as it is created, without a holder. */
  get unheld(): JsonObject {
    const { namespace, name } = this.#options;
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace } };
  }

  /** Reads the Lease as it is stored. */
  read(): Promise<Answer> {
    return this.#call({ method: "GET", path: objectPath(leases, this.#options) });
  }

  /** Creates the Lease; it fails when another replica was faster. */
  create(body: JsonObject): Promise<Answer> {
    return this.#call({ method: "POST", path: collectionPath(leases, this.#options.namespace), body });
  }

  /** Replaces exactly the version of the Lease that was read, so that only one of two replicas succeeds. */
  replace(body: JsonObject): Promise<Answer> {
    return this.#call({ method: "PUT", path: objectPath(leases, this.#options), body });
  }

  #call(call: ApiCall): Promise<Answer> {
    const { cluster, timeout } = this.#options;
    return cluster.call({ ...call, signal: AbortSignal.timeout(timeout) });
  }
}
