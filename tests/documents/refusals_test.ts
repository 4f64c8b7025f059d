/** Policies that the API server or Kyverno's webhook refuse to store. */
import assert from "node:assert/strict";
import {
  containers,
  denying,
  everyKind,
  generating,
  jsonPatch,
  matching,
  mutating,
  named,
  ofTeam,
  onPods,
  pods,
  refusedParts,
  type Settings,
  target,
  validating,
  withUsers,
} from "./refused_parts.ts";

const owner = "apiVersion: v1, kind: Pod, name: a";

const texts = "labels and annotations supports only string values";

const noKinds = "at least one element must be specified in a kind block";

const refused: readonly (readonly [what: string, rule: string, found: string, settings?: Settings])[] = [
  ["a filter by name", matching("resources: {names: [a]}"), `match.any[0]: ${noKinds}`],
  ["a filter by user", matching("subjects: [{kind: User, name: a}]"), `match.any[0]: ${noKinds}`, withUsers],
  [
    "the second filter without kinds",
    `match: {all: [{${pods}}, {resources: {namespaces: [a]}}]}\n${named}`,
    `match.all[1]: ${noKinds}`,
  ],
  ["a direct filter by name", `match: {resources: {names: [a]}}\n${named}`, `match: ${noKinds}`],
  [
    "a name beside names",
    matching("resources: {kinds: [Pod], name: a, names: []}"),
    "match.any[0].resources: A filter has name or names, not both",
  ],
  [
    "a name beside names in exclude",
    `${onPods}\nexclude: {resources: {kinds: [Pod], name: a, names: [b]}}\n${named}`,
    "exclude.resources: A filter has name or names, not both",
  ],
  [
    "a subject of an unknown kind",
    matching(`${pods}, subjects: [{kind: Robot, name: a}]`),
    `match.any[0].subjects[0].kind: kind must be 'User', 'Group', or 'ServiceAccount', not "Robot"`,
    withUsers,
  ],
  [
    "a subject without a name",
    `${onPods}\nexclude: {any: [{subjects: [{kind: User}]}]}\n${named}`,
    "exclude.any[0].subjects[0].name: name is required",
    withUsers,
  ],
  [
    "a role without a namespace",
    matching(`${pods}, roles: [admin]`),
    'match.any[0].roles[0]: Role is expected to be in namespace:name format, not "admin"',
    withUsers,
  ],
  [
    "a role with three parts",
    `${onPods}\nexclude: {roles: ['a:b', 'a:b:c']}\n${named}`,
    'exclude.roles[1]: Role is expected to be in namespace:name format, not "a:b:c"',
    withUsers,
  ],
  [
    "a cluster-wide kind in a Policy",
    matching("resources: {kinds: [Pod, Namespace]}"),
    "match.any[0].resources.kinds[1]: Cluster wide resource 'Namespace' not allowed in namespaced policy",
    ofTeam,
  ],
  [
    "a cluster-wide kind with its version in the exclude block of a Policy",
    `${onPods}\nexclude: {any: [{resources: {kinds: [rbac.authorization.k8s.io/v1/ClusterRole]}}]}\n${named}`,
    "exclude.any[0].resources.kinds[0]: Cluster wide resource 'rbac.authorization.k8s.io/v1/ClusterRole' not " +
    "allowed in namespaced policy",
    ofTeam,
  ],
  [
    "namespaces in a Policy",
    matching("resources: {kinds: [Pod], namespaces: [team]}"),
    "match.any[0].resources.namespaces: Filtering namespaces not allowed in namespaced policies",
    ofTeam,
  ],
  [
    "a filter that exclude has, too",
    `match: {any: [{resources: {kinds: [Secret]}}, {${pods}}]}\nexclude: {any: [{${pods}}]}\n${named}`,
    "match.any[1]: Rule is matching an empty set: exclude has the same filter",
  ],
  [
    "an operator in lower case",
    denying("{key: a, operator: equals, value: b}"),
    'validate.deny.conditions.any[0].operator: entered value of `operator` is invalid: "equals"',
  ],
  [
    "an operator in capitals in a list of preconditions",
    `${onPods}\npreconditions: [{key: a, operator: ANYIN, value: b}]\n${named}`,
    'preconditions[0].operator: entered value of `operator` is invalid: "ANYIN"',
  ],
  [
    "an operator in lower case in a loop that mutates",
    mutating(
      `foreach: [{${containers}, preconditions: {all: [{key: a, operator: in, value: b}]}, patchStrategicMerge: {a: b}}]`,
    ),
    'mutate.foreach[0].preconditions.all[0].operator: entered value of `operator` is invalid: "in"',
  ],
  [
    "an operator in lower case in a loop that generates",
    `${onPods}\ngenerate: {foreach: [{list: a, preconditions: {all: [{key: a, operator: in, value: b}]}, ` +
    "apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {}}]}",
    'generate.foreach[0].preconditions.all[0].operator: entered value of `operator` is invalid: "in"',
  ],
  [
    "an operator in lower case in an attestation",
    `${onPods}\nverifyImages: [{imageReferences: ["*"], attestations: [{type: t, conditions: [{all: ` +
    "[{key: a, operator: equals, value: b}]}]}]}]",
    "verifyImages[0].attestations[0].conditions[0].all[0].operator: entered value of `operator` is invalid: " +
    '"equals"',
  ],
  [
    "an operation that no request has",
    denying('{key: "{{ request.operation }}", operator: Equals, value: create}'),
    "validate.deny.conditions.any[0].value: unknown value \"create\" found under the 'value' field: no request " +
    "has this operation",
  ],
  [
    "a list of operations with one that no request has",
    `${onPods}\npreconditions: {all: [{key: "{{request.operation}}", operator: AnyIn, value: [CREATE, PATCH]}]}\n${named}`,
    "preconditions.all[0].value: unknown value \"PATCH\" found under the 'value' field: no request has this " +
    "operation",
  ],
  [
    "an addition in a pattern",
    validating("pattern: {spec: {containers: [{'+(a)': b}]}}"),
    "validate.pattern.spec.containers[0].+(a): unsupported anchor +(a)",
  ],
  [
    "an existence anchor without a list",
    validating("anyPattern: [{spec: {'^(containers)': {a: b}}}]"),
    "validate.anyPattern[0].spec.^(containers): existence anchor should have value of type list, with at least " +
    "one value",
  ],
  [
    "an existence anchor with an empty list",
    validating("pattern: {spec: {'^(containers)': []}}"),
    "validate.pattern.spec.^(containers): existence anchor should have value of type list, with at least one value",
  ],
  [
    "a label that is null",
    validating("pattern: {metadata: {labels: {'X(a)': null}}}"),
    `validate.pattern.metadata.labels.X(a): ${texts}`,
  ],
  [
    "an annotation of a template that is a number",
    validating("anyPattern: [{a: b}, {spec: {template: {metadata: {annotations: {a: 1}}}}}]"),
    `validate.anyPattern[1].spec.template.metadata.annotations.a: ${texts}`,
  ],
  [
    "a label of a loop that is null",
    validating(`foreach: [{${containers}, pattern: {metadata: {labels: {a: null}}}}]`),
    `validate.foreach[0].pattern.metadata.labels.a: ${texts}`,
  ],
  [
    "a patched label that is true",
    mutating("patchStrategicMerge: {metadata: {labels: {'+(a)': true}}}"),
    `mutate.patchStrategicMerge.metadata.labels.+(a): ${texts}`,
  ],
  [
    "a patched label of the second loop that is null",
    mutating(
      `foreach: [{${containers}, ${jsonPatch}}, {${containers}, patchStrategicMerge: {metadata: {labels: {a: null}}}}]`,
    ),
    `mutate.foreach[1].patchStrategicMerge.metadata.labels.a: ${texts}`,
  ],
  [
    "patches in two forms",
    mutating(`patchStrategicMerge: {a: b}, ${jsonPatch}`),
    "mutate: only one of `patchStrategicMerge` or `patchesJson6902` is allowed",
  ],
  [
    "a patch beside loops",
    mutating(`patchStrategicMerge: {a: b}, foreach: [{${containers}, ${jsonPatch}}]`),
    "mutate: only one of `foreach`, `patchStrategicMerge`, or `patchesJson6902` is allowed",
  ],
  [
    "a loop without a patch",
    mutating(`foreach: [{${containers}}]`),
    "mutate.foreach[0]: only one of `patchStrategicMerge` or `patchesJson6902` is allowed",
  ],
  [
    "an outer loop with preconditions",
    mutating(
      `foreach: [{${containers}, preconditions: {all: []}, foreach: [{${containers}, ${jsonPatch}}]}]`,
    ),
    "mutate.foreach[0]: a nested foreach cannot contain other declarations",
  ],
  [
    "a default without an expression",
    `${onPods}\ncontext: [{name: a, variable: {value: b, default: c}}]\n${named}`,
    "context[0].variable.default: a variable must define a default value only when a jmesPath expression is defined",
  ],
  [
    "image extractors in a rule without images",
    `${onPods}\nimageExtractors: {Pod: [{path: /spec}]}\n${named}`,
    "imageExtractors: imageExtractors can only be defined for verifyImages rule",
  ],
  [
    "a rule that mutates in a policy without admission",
    mutating("patchStrategicMerge: {a: b}"),
    "spec.admission: disabling admission processing is only allowed with validation policies",
    { spec: "admission: false" },
  ],
  [
    "two timeouts",
    `${onPods}\n${named}`,
    "spec.webhookTimeoutSeconds: remove the deprecated field and use spec.webhookConfiguration.timeoutSeconds instead",
    { spec: "webhookTimeoutSeconds: 10\n  webhookConfiguration: {timeoutSeconds: 10}" },
  ],
  ...[["webhookTimeoutSeconds: 0", "webhookTimeoutSeconds"], [
    "webhookConfiguration: {timeoutSeconds: 31}",
    "webhookConfiguration",
  ]].map(([spec, path]) =>
    [
      `a timeout that no webhook may have in ${path}`,
      `${onPods}\n${named}`,
      `spec.webhookTimeoutSeconds: the timeout value must be between 1 and 30 seconds`,
      { spec: spec! },
    ] as const
  ),
  [
    "conditions in CEL of a rule without CEL",
    `${onPods}\ncelPreconditions: [{name: a, expression: 'true'}]\n${named}`,
    "celPreconditions: celPrecondition can only be used with validate.cel",
  ],
  [
    "context entries of a rule in CEL",
    `${onPods}\ncontext: [{name: a, variable: {value: b}}]\nvalidate: {cel: {expressions: [{expression: 'true'}]}}`,
    "context: context variables are not supported for CEL expressions in validate rules",
  ],
  [
    "two failure policies",
    `${onPods}\n${named}`,
    "spec.failurePolicy: remove the deprecated field and use spec.webhookConfiguration.failurePolicy instead",
    { spec: "failurePolicy: Fail\n  webhookConfiguration: {failurePolicy: Fail}" },
  ],
  [
    "two actions for a namespace that a wildcard matches",
    `${onPods}\n${named}`,
    "spec.validationFailureActionOverrides[1].namespaces: conflicting namespaces found: ab",
    {
      spec:
        "validationFailureActionOverrides: [{action: Audit, namespaces: ['a*']}, {action: Enforce, namespaces: [ab]}]",
    },
  ],
  [
    "two actions of a rule for a namespace",
    validating(
      "failureActionOverrides: [{action: Audit, namespaces: [a]}, {action: Enforce, namespaces: [a]}], pattern: {metadata: {name: a}}",
    ),
    "validate.failureActionOverrides[1].namespaces: conflicting namespaces found: a",
  ],
  ...[
    ["version: v1.0", 'version: there is no version "v1.0"'],
    ["version: v1.33", 'version: there is no version "v1.33"'],
    [
      "exclude: [{controlName: Capabilities}]",
      "exclude[0].controlName: exclude.images must be specified for the container level control",
    ],
    [
      "exclude: [{controlName: Seccomp}, {controlName: Sysctls, images: ['*']}]",
      "exclude[1].controlName: exclude.images must not be specified for the pod level control",
    ],
    ["exclude: [{controlName: Seccomp, restrictedField: a}]", "exclude[0].values: values is required"],
    [
      "exclude: [{controlName: Seccomp, values: [a]}]",
      "exclude[0].restrictedField: restrictedField is required",
    ],
    ["exclude: [{controlName: seccomp}]", 'exclude[0].controlName: There is no control "seccomp" to exclude'],
  ].map(([field, found]) =>
    [
      `podSecurity with ${field}`,
      validating(`podSecurity: {level: restricted, ${field}}`),
      `validate.podSecurity.${found}`,
    ] as const
  ),
  ...[
    [
      "paramKind: {apiVersion: v1, kind: ConfigMap}, paramRef: {name: a}",
      "paramRef: parameterNotFoundAction is required",
    ],
    ["paramKind: {apiVersion: v1, kind: ConfigMap}", ": paramRef is required"],
    [
      "paramKind: {kind: ConfigMap}, paramRef: {name: a, parameterNotFoundAction: Deny}",
      "paramKind: apiVersion is required",
    ],
    ["paramRef: {name: a, parameterNotFoundAction: Deny}", ": paramKind is required"],
    ["auditAnnotations: [{valueExpression: '\"a\"'}]", "auditAnnotations[0]: key is required"],
    ["auditAnnotations: [{key: a}]", "auditAnnotations[0]: valueExpression is required"],
  ].map(([fields, found]) =>
    [
      `cel with ${fields}`,
      validating(`cel: {expressions: [{expression: 'true'}], ${fields}}`),
      `validate.cel${found!.startsWith(":") ? "" : "."}${found}`,
    ] as const
  ),
  [
    "a policy without admission and background scans",
    `${onPods}\n${named}`,
    "spec.admission: disabling both admission and background processing is not allowed",
    { spec: "admission: false\n  background: false" },
  ],
  ...[
    [
      "in background scans",
      `resources: {kinds: ['*']}`,
      named,
      "not allowed in background mode. Set " +
      "spec.background=false to disable background mode for this policy rule",
      {},
    ],
    [
      "and another",
      `resources: {kinds: ['*', Pod]}`,
      named,
      "can not deal with more than one kind",
      withUsers,
    ],
    [
      "in a loop",
      everyKind,
      `validate: {foreach: [{${containers}, pattern: {name: a}}]}`,
      "does not support rule type",
      withUsers,
    ],
  ].map(([what, filter, body, problem, settings]) =>
    [
      `every kind ${what}`,
      `match: {any: [{${filter}}]}\n${body}`,
      `match.any[0].resources.kinds: wildcard policy ${problem}`,
      settings as Settings,
    ] as const
  ),
  ...[
    "validate: {pattern: {spec: {a: b}}}",
    "validate: {anyPattern: [{metadata: {name: a}}, {data: {a: b}}]}",
    "validate: {deny: {conditions: [{key: '{{ request.object.spec.a }}', operator: Equals, value: a}]}}",
    "mutate: {patchStrategicMerge: {spec: {a: b}}}",
    `mutate: {${jsonPatch}}`,
  ].map((body) =>
    [
      `every kind, with ${body}`,
      `match: {any: [{${everyKind}}]}\n${body}`,
      "match.any[0].resources.kinds: policy can only deal with the metadata field of the resource if the rule does " +
      "not match any kind",
      withUsers,
    ] as const
  ),
  [
    "a former name of an operator in the preconditions of a loop",
    validating(
      `foreach: [{${containers}, preconditions: {all: [{key: a, operator: Equal, value: a}]}, pattern: {name: a}}]`,
    ),
    'validate.foreach[0].preconditions.all[0].operator: entered value of `operator` is invalid: "Equal"',
  ],
  [
    "an element of a loop in the message of the rule",
    validating(`message: 'bad {{ element.name }}', foreach: [{${containers}, pattern: {name: a}}]`),
    "validate.message: variable 'element.name' present outside of foreach at path /validate/message",
  ],
  [
    "the index of an element in the message of the rule",
    validating(`message: '{{elementIndex}}', foreach: [{${containers}, pattern: {name: a}}]`),
    "validate.message: variable 'elementIndex' present outside of foreach at path /validate/message",
  ],
  [
    "a reference in a message",
    validating("message: run $(kubectl), pattern: {metadata: {name: a}}"),
    "validate.message: policy contains invalid variables: variable substitution failed for rule r: got nil resolved " +
    "variable $(kubectl) at path /validate/message: <nil>",
  ],
  [
    "a reference from the root of a pattern",
    validating("pattern: {spec: {min: 1, max: '$(>=/spec/min)'}}"),
    "spec.rules[0]: policy contains invalid variables: variable substitution failed for rule r: failed to resolve " +
    "$(>=/spec/min) at " +
    "path /validate/pattern/spec/max: incorrect expression: operator >= does not match with value <nil>",
  ],
  [
    "a name with capitals",
    `${onPods}\n${named}`,
    'metadata.name: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
    "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for " +
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    { head: "kind: ClusterPolicy\nmetadata: {name: Bad_Name}" },
  ],
  [
    "a name of 64 letters",
    `${onPods}\n${named}`,
    "metadata.name: Too long: may not be more than 63 bytes",
    { head: `kind: ClusterPolicy\nmetadata: {name: ${"p".repeat(64)}}` },
  ],
  [
    "a Policy in a namespace with capitals",
    `${onPods}\n${named}`,
    'metadata.namespace: "Team": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or ' +
    "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for " +
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    { head: "kind: Policy\nmetadata: {name: p, namespace: Team}" },
  ],
  [
    "annotations of more than 256 KiB",
    `${onPods}\n${named}`,
    "metadata.annotations: Too long: may not be more than 262144 bytes",
    { head: `kind: ClusterPolicy\nmetadata: {name: p, annotations: {a: ${"x".repeat(256 * 1024)}}}` },
  ],
  [
    "a finalizer with a blank",
    `${onPods}\n${named}`,
    "metadata.finalizers[1]: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and " +
    "must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used " +
    "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    { head: "kind: ClusterPolicy\nmetadata: {name: p, finalizers: [example.com/a, a b]}" },
  ],
  [
    "an owner without a uid",
    `${onPods}\n${named}`,
    "metadata.ownerReferences[0]: uid must not be empty",
    { head: `kind: ClusterPolicy\nmetadata: {name: p, ownerReferences: [{${owner}}]}` },
  ],
  [
    "an Event that owns",
    `${onPods}\n${named}`,
    "metadata.ownerReferences[0]: /v1, Kind=Event is disallowed from being an owner",
    {
      head:
        "kind: ClusterPolicy\nmetadata: {name: p, ownerReferences: [{apiVersion: v1, kind: Event, name: a, uid: b}]}",
    },
  ],
  [
    "two controllers",
    `${onPods}\n${named}`,
    "metadata.ownerReferences: Only one reference can have Controller set to true",
    {
      head:
        `kind: ClusterPolicy\nmetadata: {name: p, ownerReferences: [{${owner}, uid: a, controller: true}, ` +
        `{${owner}, uid: b, controller: true}]}`,
    },
  ],
  [
    "labels that are a list",
    `${onPods}\n${named}`,
    "metadata.labels: it is no map of texts",
    { head: "kind: ClusterPolicy\nmetadata: {name: p, labels: [a]}" },
  ],
  [
    "a label that is a number",
    `${onPods}\n${named}`,
    "metadata.labels.a: its value is no text",
    { head: "kind: ClusterPolicy\nmetadata: {name: p, labels: {a: 5}}" },
  ],
  [
    "an annotation that is a truth value",
    `${onPods}\n${named}`,
    "metadata.annotations.a: its value is no text",
    { head: "kind: ClusterPolicy\nmetadata: {name: p, annotations: {a: true}}" },
  ],
  [
    "the early setting that generates for existing triggers",
    generating(`${target}, namespace: b, data: {}`),
    "spec.generateExistingOnPolicyUpdate: remove the deprecated field and use spec.generate[*].generateExisting instead",
    { spec: "generateExistingOnPolicyUpdate: false" },
  ],
  [
    "a setting for existing objects without targets",
    mutating("patchStrategicMerge: {a: b}"),
    "spec.mutateExistingOnPolicyUpdate: rules[0].mutate.targets has to be specified when " +
    "mutateExistingOnPolicyUpdate is set",
    { spec: "mutateExistingOnPolicyUpdate: true" },
  ],
  [
    "a rule for existing objects without targets",
    mutating("mutateExistingOnPolicyUpdate: true, patchStrategicMerge: {a: b}"),
    "mutate.mutateExistingOnPolicyUpdate: rules[0].mutate.targets has to be specified when " +
    "mutateExistingOnPolicyUpdate is set",
  ],
  [
    "a generated object without apiVersion",
    generating("kind: ConfigMap, name: a, namespace: b, data: {}"),
    "generate.apiVersion: apiVersion can not be empty",
  ],
  [
    "an object of a loop without apiVersion",
    generating("foreach: [{list: a, kind: ConfigMap, name: a, namespace: b, data: {}}]"),
    "generate.foreach[0].apiVersion: apiVersion can not be empty",
  ],
  [
    "a generated object with data and a source",
    generating(`${target}, namespace: b, data: {}, clone: {name: c, namespace: d}`),
    "generate: only one of generate patterns(data, clone, cloneList and foreach) can be specified",
  ],
  [
    "a generated object without a namespace",
    generating(`${target}, data: {}`),
    "generate.namespace: target namespace must be set for a namespaced resource",
  ],
  [
    "a generated cluster-wide object with a namespace",
    generating("apiVersion: v1, kind: Namespace, name: a, namespace: b, data: {}"),
    "generate.namespace: target namespace must not be set for a cluster-wide resource",
  ],
];
for (const [what, rule, found, settings] of refused) {
  Deno.test(`policy is refused: ${what}`, () => assert.deepEqual(refusedParts(rule, settings), [found]));
}

Deno.test("policy is refused: a rule whose name has 64 letters", () =>
  assert.deepEqual(refusedParts(`${onPods}\n${named}`, { rule: "r".repeat(64) }), [
    "name: Too long: may not be more than 63 bytes",
  ]));
