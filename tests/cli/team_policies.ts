/** Policies about the labels `team` and `owner`, Pods with and without them, and reviews of such Pods. */

/** A policy that wants the label `team` on every Pod. */
export function requireTeam(failureAction: "Audit" | "Enforce"): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: require-team }
spec:
  rules:
    - name: team
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate:
        failureAction: ${failureAction}
        message: The label team is required.
        pattern: { metadata: { labels: { team: "?*" } } }
`;
}

/** A policy that writes the label `owner`. */
export function addOwner(kind: string, owner: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: add-owner }
spec:
  background: false
  rules:
    - name: owner
      match: { any: [{ resources: { kinds: [${kind}] } }] }
      mutate: { patchStrategicMerge: { metadata: { labels: { owner: "${owner}" } } } }
`;
}

export const policy = requireTeam("Enforce");

export const good = "apiVersion: v1\nkind: Pod\nmetadata: { name: good, labels: { team: shop } }\n";
export const bad = "apiVersion: v1\nkind: Pod\nmetadata: { name: bad }\n";

/** An AdmissionReview of a Pod, with the answer that was given. */
export function review(name: string, labels: Readonly<Record<string, string>>, allowed: boolean): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "1",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: "shop",
      name,
      operation: "CREATE",
      userInfo: { username: "ann", groups: ["dev"] },
      object: { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop", labels }, spec: {} },
    },
    response: { uid: "1", allowed, ...(!allowed && { status: { message: "not so" } }) },
  });
}
