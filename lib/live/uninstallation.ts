import { dig } from "../json/mod.ts";
import { isBeingDeleted } from "../kube/mod.ts";
import type { Cluster } from "../ports.ts";
import { repeatedCall } from "./repeated_call.ts";

/** Milliseconds after which the start no longer waits for the Deployment. */
const longestStart = 10_000;

/**
 * Detects the removal of this installation: its Deployment existed at the start and is now deleted, being deleted or
 * scaled to zero, or its namespace is being deleted. A restart is not a removal: the webhooks stay and deny requests
 * for a moment, instead of letting them pass unchecked.
 */
export class Uninstallation {
  readonly #cluster: Cluster;
  readonly #deployment: string;
  readonly #namespace: string;
  #wasThere = false;

  /** A Deployment has the name of its Service, as in the manifests. */
  constructor(
    cluster: Cluster,
    { namespace, service }: { readonly namespace: string; readonly service: string },
  ) {
    this.#cluster = cluster;
    this.#namespace = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
    this.#deployment = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${
      encodeURIComponent(service)
    }`;
  }

  /**
   * Reads the Deployment that runs this process. It tries several times if the API server is busy, because without the
   * Deployment no removal is detected.
   */
  async begin(): Promise<void> {
    const call = { method: "GET", path: this.#deployment } as const;
    const answer = await repeatedCall(this.#cluster, call, AbortSignal.timeout(longestStart));
    this.#wasThere = answer.ok;
  }

  /** Whether no replica will answer after this process; `false` when the API server does not answer. */
  async isUnderWay(): Promise<boolean> {
    if (!this.#wasThere) return false;
    const namespace = await this.#cluster.call({ method: "GET", path: this.#namespace });
    if (namespace.ok && isBeingDeleted(namespace.body)) return true;
    const answer = await this.#cluster.call({ method: "GET", path: this.#deployment });
    if (!answer.ok) return answer.status === 404;
    return isBeingDeleted(answer.body) ||
      dig(answer.body, "spec", "replicas") === 0;
  }
}
