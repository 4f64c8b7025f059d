import { dig } from "../json/mod.ts";
import type { Cluster } from "../ports.ts";

/** A right that a service account needs. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent for all namespaces. */
  readonly namespace?: string;
}

/**
 * Whether an account has a right (Kubernetes API: SubjectAccessReview); `undefined` when the API server does not say, as Postern
 * may lack the right to ask.
 */
export async function hasRight(
  cluster: Cluster,
  account: string,
  right: Right,
): Promise<boolean | undefined> {
  const [, , namespace = ""] = account.split(":");
  const answer = await cluster.call({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: account,
        // The groups that the API server gives a service account.
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
        resourceAttributes: { ...right },
      },
    },
  });
  return answer.ok ? dig(answer.body, "status", "allowed") === true : undefined;
}
