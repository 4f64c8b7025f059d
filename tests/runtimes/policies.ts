import { policies as decisions } from "../library/policies.ts";

/** Policies of every language, with one that only reports and one that generates. */
export const policies = `${decisions}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: reports-only }
spec:
  validationFailureAction: Audit
  rules:
  - name: owner
    match: { any: [{ resources: { kinds: [Pod] } }] }
    validate:
      message: the label owner is missing
      pattern: { metadata: { labels: { owner: "?*" } } }
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: generates }
spec:
  rules:
  - name: defaults
    match: { any: [{ resources: { kinds: [Namespace] } }] }
    generate:
      apiVersion: v1
      kind: ConfigMap
      name: defaults
      namespace: "{{ request.object.metadata.name }}"
      data: { data: { color: green } }
`;
