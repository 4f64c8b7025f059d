import assert from "node:assert/strict";
import { policies } from "../background/setting.ts";

function rule(name: string, mutate: string, kind = "Pod"): string {
  return `
  - name: ${name}
    match: {any: [{resources: {kinds: [${kind}]}}]}
    mutate:
${mutate.trim().split("\n").map((line) => `      ${line}`).join("\n")}`;
}

function codes(...rules: string[]): string[] {
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:${rules.join("")}
`);
  return snapshot.diagnostics.map(({ severity, code }) => `${severity} ${code}`);
}

const json = (...operations: string[]): string =>
  `patchesJson6902: |-\n${operations.map((text) => `  - ${text}`).join("\n")}`;
const merge = (patch: string): string => `patchStrategicMerge: ${patch}`;

const paths: [mutate: string, diagnostics: string[]][] = [
  [json("{op: add, path: /metadata/labels/a, value: b}"), []],
  [json('{op: add, path: /metadata/labels/a, value: "{{ request.object.metadata.name }}"}'), []],
  [json("{op: add, path: /metadata/annotations/a~1b, value: c}", "{op: remove, path: /spec/x}"), []],
  [json("{op: add, path: /metadata/lables/a, value: b}"), ["error impossible-path"]],
  [json("{op: add, path: metadata/labels/a, value: b}"), ["error impossible-path"]],
  [json("{op: move, from: /metadata/lable, path: /metadata/labels}"), ["error impossible-path"]],
  [json('{op: add, path: "/metadata/labels/{{ request.operation }}", value: b}'), ["error variable-in-path"]],
  [
    json(
      '{op: replace, path: "/spec/containers/{{ length(request.object.spec.containers) }}/image", value: b}',
    ),
    ["error variable-in-path"],
  ],
  [
    "foreach:\n- list: request.object.spec.containers\n  patchesJson6902: |-\n" +
    '    - {op: add, path: "/spec/containers/{{ elementIndex }}/tty", value: true}',
    [],
  ],
];

for (const [mutate, diagnostics] of paths) {
  Deno.test(`paths of ${mutate.replaceAll("\n", " ")} are ${diagnostics[0] ?? "fine"}`, () => {
    assert.deepEqual(codes(rule("a", mutate)), diagnostics);
  });
}

Deno.test("a rule with an impossible path answers by its failurePolicy", () => {
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:${rule("a", json("{op: add, path: /metadata/lables/a, value: b}"))}
`);
  const [diagnostic] = snapshot.diagnostics;
  assert.match(diagnostic?.message ?? "", /metadata has no field "lables"/);
  assert.equal(diagnostic?.rule, "a");
  assert.equal(typeof diagnostic?.position?.line, "number");
});

const label = (value: string): string => merge(`{metadata: {labels: {team: ${value}}}}`);
const conflict = ["warning conflicting-mutation"];
const conflicts: [title: string, rules: string[], diagnostics: string[]][] = [
  ["two values for one field", [rule("a", label("x")), rule("b", label("y"))], conflict],
  ["the same value twice", [rule("a", label("x")), rule("b", label("x"))], []],
  [
    "fields beside each other",
    [rule("a", label("x")), rule("b", merge("{metadata: {labels: {other: y}}}"))],
    [],
  ],
  ["other kinds", [rule("a", label("x")), rule("b", label("y"), "Service")], []],
  [
    "a merge against a JSON patch",
    [rule("a", label("x")), rule("b", json("{op: add, path: /metadata/labels/team, value: y}"))],
    conflict,
  ],
  ["a default", [rule("a", label("x")), rule("b", merge('{metadata: {labels: {"+(team)": y}}}'))], []],
  [
    "a condition",
    [rule("a", label("x")), rule("b", merge('{metadata: {"(name)": "web-*", labels: {team: y}}}'))],
    [],
  ],
  ["a variable", [rule("a", label("x")), rule("b", label('"{{ request.operation }}"'))], []],
  [
    "elements of lists",
    [
      rule("a", json("{op: add, path: /spec/containers/0/image, value: x}")),
      rule("b", json("{op: add, path: /spec/containers/0/image, value: y}")),
    ],
    [],
  ],
  [
    "preconditions that differ",
    [rule("a", label("x")), `${rule("b", label("y"))}\n    preconditions: {all: []}`],
    [],
  ],
];

for (const [title, rules, diagnostics] of conflicts) {
  Deno.test(`rules with ${title} ${diagnostics.length > 0 ? "conflict" : "do not conflict"}`, () => {
    assert.deepEqual(codes(...rules), diagnostics);
  });
}

Deno.test("a problem in a foreach is reported with its position", () => {
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Deployment]}}]}
    mutate:
      foreach:
      - list: request.object.spec.containers
        foreach:
        - list: "element.env["
          patchStrategicMerge: {metadata: {labels: {a: b}}}
`);
  const [problem] = snapshot.diagnostics;
  assert.deepEqual([problem?.code, problem?.position?.line], ["bad-list", 13]);
});
