import { asString, dig } from "../json/mod.ts";
import type { Cluster } from "../ports.ts";

/**
 * The user name under which the API server knows Postern; `undefined` when the API server does not say (before
 * Kubernetes 1.28).
 */
export async function posternUsername(cluster: Cluster): Promise<string | undefined> {
  const answer = await cluster.call({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
  return answer.ok ? asString(dig(answer.body, "status", "userInfo", "username")) : undefined;
}
