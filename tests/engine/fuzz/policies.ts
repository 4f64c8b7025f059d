import type { JsonObject } from "../../../lib/json/mod.ts";
import { isObject } from "../../../lib/json/mod.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";

/** Rules of every kind, as sane as they come: what the fuzz test starts from. */
const rules = `
- name: pattern
  match: {any: [{resources: {kinds: [Pod], namespaces: ["def*"], selector: {matchLabels: {"app*": "?*"}}}}]}
  exclude: {any: [{resources: {names: ["kube-*"]}}, {subjects: [{kind: User, name: admin}], clusterRoles: [edit]}]}
  validate:
    message: "image {{ request.object.spec.containers[0].image }} of {{ request.object.metadata.name }}"
    failureAction: Enforce
    failureActionOverrides: [{action: Audit, namespaces: [dev], namespaceSelector: {matchLabels: {a: b}}}]
    pattern:
      metadata: {labels: {"app*": "?* | !x"}}
      spec:
        =(hostNetwork): "!true"
        X(hostPath): null
        ^(containers): [{(name): "*", image: "!*:latest & ?*", resources: {limits: {memory: "<=1Gi"}}}]
        <(volumes): [{name: data}]
- name: any-pattern
  match: {all: [{resources: {kinds: ["*/Pod", apps/v1/Deployment]}}]}
  validate: {anyPattern: [{spec: {replicas: ">=2 & <10"}}, {metadata: {annotations: {a: "$(./../b)", b: c}}}]}
- name: deny
  match: {resources: {kinds: [Pod, "*"]}, clusterroles: [a]}
  context:
  - {name: team, variable: {jmesPath: "request.object.metadata.labels.app || 'none'", default: x}}
  - {name: map, configMap: {name: "{{ team }}", namespace: default}}
  - {name: call, apiCall: {urlPath: "/api/v1/namespaces/{{ request.namespace }}", jmesPath: "metadata.labels", default: {}}}
  preconditions: {any: [{key: "{{ team }}", operator: AnyIn, value: ["a*", web]}], all: [{key: "{{ request.operation }}", operator: NotEquals, value: DELETE}]}
  validate:
    message: "{{ team }} {{ map.data.x }}"
    deny: {conditions: {any: [{key: "{{ request.object.spec.replicas || \`0\` }}", operator: GreaterThan, value: 3, message: many}, {key: "{{ call }}", operator: Equals, value: {}}]}}
- name: foreach
  match: {any: [{resources: {kinds: [Pod, Deployment]}}]}
  validate:
    foreach:
    - {list: "request.object.spec.[containers, initContainers][]", elementScope: true, pattern: {image: "{{ element.image }}", =(ports): [{containerPort: "1-1024"}]}}
    - list: "items(request.object.metadata.labels, 'k', 'v')"
      context: [{name: own, variable: {value: "{{ element.v }}", jmesPath: "to_upper(@)"}}]
      preconditions: {all: [{key: "{{ elementIndex }}", operator: LessThan, value: 2}]}
      foreach: [{list: "element.k", deny: {conditions: {all: [{key: "{{ element }}{{ own }}", operator: In, value: [a, b]}]}}}]
- name: pod-security
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {podSecurity: {level: restricted, version: latest, exclude: [{controlName: Capabilities, images: ["*"]}]}}
- name: cel
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {cel: {expressions: [{expression: "object.spec.containers.all(c, c.image.startsWith('a'))", messageExpression: "'no ' + object.metadata.name"}], variables: [{name: v, expression: "object.metadata"}]}}
- name: assert
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {assert: {object: {spec: {"(length(containers))": 1, "~.(containers)": {"(starts_with(image, 'a'))": true}}}}}
- name: merge
  match: {any: [{resources: {kinds: [Pod]}}]}
  mutate:
    patchStrategicMerge:
      metadata: {labels: {+(team): "{{ request.namespace }}"}}
      spec: {containers: [{(name): "*", image: "{{ request.operation }}", env: [{name: A, value: b}, {$patch: delete, name: B}]}]}
- name: patch
  match: {any: [{resources: {kinds: [Pod, Deployment]}}]}
  mutate:
    patchesJson6902: |-
      - {op: add, path: "/metadata/labels/x~1y", value: "{{ request.operation }}"}
      - {op: replace, path: /spec/containers/0/image, value: new}
      - {op: remove, path: /spec/volumes/-}
- name: mutate-foreach
  match: {any: [{resources: {kinds: [Pod]}}]}
  mutate:
    foreach:
    - {list: request.object.spec.containers, order: Descending, patchesJson6902: "[{op: add, path: \\"/spec/containers/{{elementIndex}}/tty\\", value: true}]"}
    - {list: request.object.spec.containers, patchStrategicMerge: {spec: {containers: [{name: "{{ element.name }}", image: "r/{{ images.containers.\\"{{ element.name }}\\".name }}"}]}}}
- name: generate
  match: {any: [{resources: {kinds: [Namespace, Pod]}}]}
  generate: {apiVersion: v1, kind: ConfigMap, name: "c-{{ request.object.metadata.name }}", namespace: x, synchronize: true, data: {data: {a: "{{ request.namespace }}"}}}
- name: existing
  match: {any: [{resources: {kinds: [Pod, Deployment]}}]}
  mutate: {targets: [{apiVersion: v1, kind: ConfigMap, name: "{{ request.object.metadata.name }}", namespace: default}], patchStrategicMerge: {data: {a: "{{ target.data.a }}"}}}
`;

/** One ClusterPolicy a rule, and a policy of each other kind. */
export function policySeeds(): JsonObject[] {
  const [parsed] = parseDocuments(rules, "rules.yaml").documents;
  const list = parsed?.value;
  if (!Array.isArray(list)) throw new Error("the rules of the fuzz test cannot be read");
  const clusterPolicies = list.map((rule): JsonObject => ({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: {
      name: "p",
      annotations: { "pod-policies.kyverno.io/autogen-controllers": "Deployment,CronJob" },
    },
    spec: { background: true, failurePolicy: "Ignore", webhookConfiguration: {}, rules: [rule] },
  }));
  const others = parseDocuments(otherKinds, "others.yaml").documents.map(({ value }) => value).filter(
    isObject,
  );
  return [...clusterPolicies, ...others];
}

const otherKinds = `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: default}
spec:
  exceptions: [{policyName: p, ruleNames: ["*"]}]
  match: {any: [{resources: {kinds: [Pod], names: [web]}}]}
  conditions: {all: [{key: "{{ request.object.metadata.labels.app }}", operator: Equals, value: x}]}
  podSecurity: [{controlName: Capabilities, images: ["*"]}]
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: v}
spec:
  validationActions: [Deny]
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]}
  matchConditions: [{name: a, expression: "object.metadata.name != 'x'"}]
  variables: [{name: images, expression: "object.spec.containers.map(c, c.image)"}]
  validations: [{expression: "variables.images.all(i, i.contains('/'))", message: "no"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: w}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}
  validations: [{expression: "has(object.spec)", reason: Invalid}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: w, validationActions: [Deny, Audit], matchResources: {namespaceSelector: {matchLabels: {a: b}}}}
---
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: m}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"}
  - patchType: JSONPatch
    jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': 'y'}}]"}
---
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: g}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  variables: [{name: cm, expression: "[{'kind': dyn('ConfigMap'), 'apiVersion': dyn('v1'), 'metadata': dyn({'name': 'x'})}]"}]
  generate: [{expression: "generator.Apply('default', variables.cm)"}]
---
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: {name: j}
spec: {rules: [{name: a, assert: {all: [{check: {"(metadata.name)": web}}]}}]}
`;
