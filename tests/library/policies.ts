/** Policies that use every language, for tests of the library on runtimes. */
export const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: add-labels }
spec:
  rules:
  - name: digest
    match: { any: [{ resources: { kinds: [Pod] } }] }
    mutate:
      patchStrategicMerge:
        metadata:
          labels:
            +(digest): "{{ md5(request.object.metadata.name) }}"
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: require-team }
spec:
  validationFailureAction: Enforce
  rules:
  - name: team
    match: { any: [{ resources: { kinds: [Pod] } }] }
    validate:
      message: the label team is required
      pattern: { metadata: { labels: { team: "?*", digest: "?*" } } }
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: names }
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules:
    - { apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }
  validations:
  - expression: object.metadata.name.matches('^[a-z]+$') && gzip.decompress(gzip.compress('a')) == 'a'
    message: names have letters only
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: asks-the-cluster }
spec:
  validationFailureAction: Enforce
  rules:
  - name: looks-up
    match: { any: [{ resources: { kinds: [ConfigMap] } }] }
    context:
    - name: limits
      configMap: { name: limits, namespace: default }
    validate:
      message: no limits
      deny: { conditions: { any: [{ key: "{{ limits.data.most }}", operator: Equals, value: "0" }] } }
`;
