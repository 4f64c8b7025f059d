/** Policies that look wrong, and that Kyverno stores. */
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

const accepted: readonly (readonly [what: string, rule: string, settings?: Settings])[] = [
  [
    "conditions of a loop without a value or key, and a former name of an operator in its deny",
    validating(
      `foreach: [{${containers}, preconditions: {all: [{key: a, operator: In}]}, ` +
        "deny: {conditions: {any: [{key: a, operator: NotEqual, value: null}, {operator: In, value: a}]}}}]",
    ),
  ],
  [
    "a message with texts that look like variables and references",
    validating(
      `message: '\\{{ element }} {{ to_upper(element) }} {{ x.element }} \\$(a)', foreach: [{${containers}, pattern: {name: a}}]`,
    ),
  ],
  [
    "a reference from a text of a pattern, and one that a problem of its own is about",
    validating("anyPattern: [{spec: {min: 1, max: '$(>=./../min)'}}, {spec: '$(/nowhere)'}]"),
  ],
  ["exclude without kinds", `${onPods}\nexclude: {any: [{resources: {names: [a]}}]}\n${named}`],
  ["an early spelling of the kinds", `match: {kinds: [Pod]}\n${named}`],
  [
    "podSecurity with versions and controls that there are",
    validating(
      "podSecurity: {level: baseline, version: v1.19, exclude: [{controlName: Capabilities, images: ['*']}, " +
        "{controlName: Sysctls}, {controlName: Seccomp, restrictedField: a, values: [b]}]}",
    ),
  ],
  ["a filter of every kind", matching('resources: {kinds: ["*"]}'), withUsers],
  ...[
    "validate: {deny: {conditions: {any: [{key: '{{ request.object.spec.a }}', operator: Equals, value: a}]}}}",
    "validate: {deny: {conditions: [{key: '{{ request.operation }}', operator: Equals, value: CREATE}]}}",
    "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}",
    'mutate: {patchesJson6902: \'[{"op": "add", "path": "/metadata/labels/a", "value": "b"}]\'}',
    "mutate: {patchesJson6902: '- {op: add, path: /spec/a, value: b}'}",
  ].map((body) =>
    [`every kind, with ${body}`, `match: {any: [{${everyKind}}]}\n${body}`, withUsers] as const
  ),
  ["a role of a namespace", matching(`${pods}, roles: ['a:b'], clusterRoles: [c]`), withUsers],
  ["a kind with a wildcard in a Policy", matching("resources: {kinds: ['*/Namespace', 'N*']}"), ofTeam],
  [
    "a filter that exclude has with another name",
    `${onPods}\nexclude: {any: [{resources: {kinds: [Pod], names: [a]}}]}\n${named}`,
  ],
  [
    "a filter that exclude has in another form",
    `match: {all: [{${pods}}]}\nexclude: {any: [{${pods}}]}\n${named}`,
  ],
  ["the early names of operators", denying("{key: a, operator: Equal, value: b}")],
  ["a deprecated operator", denying("{key: a, operator: NotIn, value: b}")],
  [
    "an operation in a variable",
    denying('{key: "{{ request.operation }}", operator: Equals, value: "{{ request.object.data.a }}"}'),
  ],
  [
    "an operation that no request has in a loop",
    validating(
      `foreach: [{${containers}, deny: {conditions: {all: [{key: "{{ request.operation }}", operator: Equals, value: create}]}}}]`,
    ),
  ],
  ["an addition in the pattern of a loop", validating(`foreach: [{${containers}, pattern: {'+(a)': b}}]`)],
  ["anchors", validating("pattern: {spec: {'=(a)': {'X(b)': 'null'}, '^(c)': [{'<(d)': 1, '(e)': 2}]}}")],
  ["no labels at all", validating("pattern: {metadata: {labels: null}}")],
  ["labels below an anchor that are null", validating("pattern: {metadata: {'=(labels)': {a: null}}}")],
  [
    "a label of the second loop that is null",
    validating(
      `foreach: [{${containers}, pattern: {a: b}}, {${containers}, pattern: {metadata: {labels: {a: null}}}}]`,
    ),
  ],
  [
    "a loop in a loop",
    mutating(
      `foreach: [{${containers}, foreach: [{${containers}, ${jsonPatch}}]}, {${containers}}]`,
    ),
  ],
  [
    "an annotation with a capital prefix and a label that is null",
    `${onPods}\n${named}`,
    { head: "kind: ClusterPolicy\nmetadata: {name: p, labels: {a: null}, annotations: {A.io/b: c d}}" },
  ],
  [
    "data and a source in a loop",
    generating(`foreach: [{list: a, ${target}, namespace: b, data: {}, clone: {name: c, namespace: d}}]`),
  ],
  ["copies without apiVersion", generating("namespace: b, cloneList: {namespace: a, kinds: [v1/Secret]}")],
  [
    "a generated object of a kind of its own",
    generating("apiVersion: a.io/v1, kind: Pot, name: a, data: {}"),
  ],
  [
    "one action for a namespace that two overrides name",
    `${onPods}\n${named}`,
    {
      spec:
        "validationFailureActionOverrides: [{action: Audit, namespaces: ['a*']}, {action: audit, namespaces: [ab]}]",
    },
  ],
];
for (const [what, rule, settings] of accepted) {
  Deno.test(`policy is accepted: ${what}`, () => assert.deepEqual(refusedParts(rule, settings), []));
}
