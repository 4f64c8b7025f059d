import { dig } from "../json/mod.ts";
import type { Cluster } from "../ports.ts";

/**
 * Knows whether this installation is being taken away: its Deployment was there at the start, and is gone, going, or scaled to
 * none now, or its namespace is going. A restart is none: webhooks that stay refuse for a moment what nobody checks, and let
 * nothing in.
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

  /** Looks for the Deployment that runs this process. */
  async begin(): Promise<void> {
    const answer = await this.#cluster.call({ method: "GET", path: this.#deployment });
    this.#wasThere = answer.ok;
  }

  /** Whether nobody will answer after this process; `false` when the API server does not say. */
  async isUnderWay(): Promise<boolean> {
    if (!this.#wasThere) return false;
    const namespace = await this.#cluster.call({ method: "GET", path: this.#namespace });
    if (namespace.ok && dig(namespace.body, "metadata", "deletionTimestamp") !== undefined) return true;
    const answer = await this.#cluster.call({ method: "GET", path: this.#deployment });
    if (!answer.ok) return answer.status === 404;
    return dig(answer.body, "metadata", "deletionTimestamp") !== undefined ||
      dig(answer.body, "spec", "replicas") === 0;
  }
}
