import { asList, dig, Fault, field } from "../../json/mod.ts";
import type { Cluster } from "../../ports.ts";

/** The namespace and name of a Service. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
}

/** The number of ready endpoints of a Service; a fault when the API server does not answer. */
export async function readyEndpoints(cluster: Cluster, service: ServiceReference): Promise<number | Fault> {
  const query = new URLSearchParams({ labelSelector: `kubernetes.io/service-name=${service.name}` });
  const path = `/apis/discovery.k8s.io/v1/namespaces/${encodeURIComponent(service.namespace)}/endpointslices`;
  const answer = await cluster.call({ method: "GET", path: `${path}?${query}` });
  if (!answer.ok) return new Fault(answer.message);
  const endpoints = asList(field(answer.body, "items")).flatMap((slice) => asList(field(slice, "endpoints")));
  // An absent condition means ready (Kubernetes API, EndpointConditions).
  return endpoints.filter((endpoint) => dig(endpoint, "conditions", "ready") !== false).length;
}
