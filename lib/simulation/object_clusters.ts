import { EmbeddedCluster, systemClock, systemEntropy } from "../embedded/mod.ts";
import { field, type JsonObject } from "../json/mod.ts";
import type { ApiCall, Cluster } from "../ports.ts";

/**
 * Clusters in memory with the same objects. All outcomes of a simulation read one cluster, made at the first call,
 * because making one for each outcome would take quadratic time. An outcome that writes gets a copy, so that no other
 * outcome sees its writes.
 */
export class ObjectClusters {
  readonly #objects: readonly JsonObject[];
  #shared: EmbeddedCluster | undefined;

  constructor(objects: readonly JsonObject[]) {
    this.#objects = objects;
  }

  /** Opens a cluster with the objects and, if given, one more namespace. */
  open(namespace?: JsonObject): Cluster {
    let copy: Cluster | undefined;
    const clusterFor = (call: ApiCall): Cluster => {
      if (copy !== undefined) return copy;
      if (call.method !== "GET") {
        return copy = clusterOf([...this.#objects, ...(namespace === undefined ? [] : [namespace])]);
      }
      if (namespace === undefined) return this.#all();
      const [, name] = /^\/api\/v1\/namespaces\/?([^/?]*)(?:\?|$)/.exec(call.path) ?? [];
      if (name === field(namespace["metadata"], "name")) return clusterOf([namespace]);
      return name === "" ? copy = clusterOf([...this.#objects, namespace]) : this.#all();
    };
    return {
      call: (call) => clusterFor(call).call(call),
      resource: (apiVersion, kind) => this.#all().resource(apiVersion, kind),
    };
  }

  #all(): EmbeddedCluster {
    return this.#shared ??= clusterOf(this.#objects);
  }
}

function clusterOf(objects: readonly JsonObject[]): EmbeddedCluster {
  return new EmbeddedCluster({
    objects,
    intake: "verbatim",
    clock: systemClock(),
    entropy: systemEntropy(),
  });
}
