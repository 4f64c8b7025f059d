import { policies as decisions } from "../library/policies.ts";

/**
 * Policies of every language, with one that has anchors, one that only reports, one that generates, and one whose evaluation of a long list
 * pauses for others.
 */
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
metadata: { name: long-lists }
spec:
  validationFailureAction: Enforce
  rules:
  - name: items
    match: { any: [{ resources: { kinds: [Service] } }] }
    validate:
      message: an item is forbidden
      foreach:
      - list: request.object.spec.items
        deny: { conditions: { any: [{ key: "{{ element }}", operator: Equals, value: forbidden }] } }
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: anchors }
spec:
  validationFailureAction: Enforce
  rules:
  - name: keys
    match: { any: [{ resources: { kinds: [Secret] } }] }
    validate:
      message: a key is required
      pattern: { (type): Opaque, data: { key: "?*" } }
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
