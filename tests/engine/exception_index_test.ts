/** Many PolicyExceptions of a rule cost an object little, and those that match are the same as without an index. */
import assert from "node:assert/strict";
import { type Decision, evaluate, type Snapshot, Trace } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { quickly } from "../support/processor_time.ts";
import { pod, policies, ports, request } from "./ports.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: latest}
spec:
  validationFailureAction: Enforce
  rules:
  - name: image
    match: {any: [{resources: {kinds: [Pod, Namespace, Service]}}]}
    validate: {message: denied, deny: {}}
  - name: other
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: denied, deny: {}}
---
`;

function exception(index: number, match: string, rules = "[image]"): string {
  return `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: "e${String(index).padStart(5, "0")}", namespace: default}
spec:
  exceptions: [{policyName: latest, ruleNames: ${rules}}]
  match: ${match}
---`;
}

function decide(snapshot: Snapshot, object: JsonObject, trace?: Trace): Decision {
  const decision = evaluate(snapshot, request(object), {
    phase: "validate",
    rules: "all",
    ports: ports(),
    ...(trace && { trace }),
  });
  assert.ok(!(decision instanceof Promise));
  return decision;
}

function messages(decision: Decision): (string | undefined)[] {
  return decision.results.flatMap(({ rules }) => rules.map(({ message }) => message));
}

const forms: readonly (readonly [what: string, match: (index: number) => string])[] = [
  ["names", (index) => `{any: [{resources: {kinds: [Pod], names: [n${index}]}}]}`],
  ["namespaces", (index) => `{any: [{resources: {kinds: [Pod], namespaces: [n${index}], names: ["x*"]}}]}`],
  ["a namespace and a name", (index) => `{any: [{resources: {namespaces: [n${index}], names: [web]}}]}`],
  [
    "a name in each namespace",
    (index) => `{any: [{resources: {namespaces: [default], names: [n${index}]}}]}`,
  ],
  ["kinds", (index) => `{any: [{resources: {kinds: [Kind${index}]}}]}`],
  [
    "all of two filters",
    (index) => `{all: [{resources: {kinds: ["*"]}}, {resources: {names: [n${index}]}}]}`,
  ],
  ["the direct form", (index) => `{resources: {kinds: [Pod], names: [n${index}, m${index}]}}`],
];

for (const [what, match] of forms) {
  Deno.test(`10,000 exceptions by ${what} cost a Pod that none matches little`, () => {
    const snapshot = policies(
      policy + Array.from({ length: 10_000 }, (_, at) => exception(at, match(at))).join(""),
    );
    decide(snapshot, pod());
    quickly(300, () => {
      for (let turn = 0; turn < 400; turn++) {
        assert.deepEqual(messages(decide(snapshot, pod())), ["denied", "denied"]);
      }
    });
  });
}

const mixed: readonly string[] = [
  `{any: [{resources: {kinds: [Pod], names: [web]}}]}`,
  `{any: [{resources: {kinds: [Pod], names: ["w*"]}}]}`,
  `{any: [{resources: {kinds: [Pod], names: ["?eb"], namespaces: [default]}}]}`,
  `{any: [{resources: {kinds: [Service]}}, {resources: {kinds: [v1/Pod], namespaces: [default]}}]}`,
  `{all: [{resources: {kinds: [Pod]}}, {resources: {names: [db, web]}}]}`,
  `{all: [{resources: {kinds: ["*"]}}, {resources: {namespaces: ["d*"]}}]}`,
  `{any: [{resources: {kinds: [Namespace], namespaces: [default]}}]}`,
  `{any: [{resources: {kinds: [Namespace], names: [default]}}]}`,
  `{any: [{resources: {kinds: ["Pod,Service"]}}]}`,
  `{any: [{resources: {kinds: [Pod/status]}}]}`,
  `{any: [{resources: {selector: {matchLabels: {app: a}}}}]}`,
  `{any: [{resources: {kinds: [Pod], names: [generated-]}}]}`,
  `{any: [{subjects: [{kind: User, name: bob}]}]}`,
  `{any: [{subjects: [{kind: User, name: eve}], resources: {names: [web]}}]}`,
  `{any: [{resources: {name: web}}]}`,
  `{any: [{resources: {name: web, names: [web, db]}}]}`,
  `{resources: {kinds: [Pod], namespaces: [default, other], names: [web, db]}}`,
  `{any: [{resources: {namespaces: [""]}}]}`,
  `{any: [{resources: {operations: [DELETE], kinds: [Pod]}}]}`,
  `{any: [{resources: {operations: [DELETE]}}]}`,
];

const objects: readonly JsonObject[] = [
  pod(),
  pod({}, { labels: { app: "a" } }),
  pod({}, { name: "db" }),
  pod({}, { name: "db", namespace: "other" }),
  pod({}, { name: "web", namespace: "" }),
  pod({}, { name: "", generateName: "generated-" }),
  pod({}, { name: 5 as unknown as string, namespace: ["default"] as unknown as string }),
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } },
  { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } },
  { apiVersion: "v1", kind: "Service" },
];

for (const match of ["kinds: [Pod], operations: [DELETE]", "operations: [DELETE]"]) {
  Deno.test(`an exception is about all operations: ${match}`, () => {
    const snapshot = policies(policy + exception(0, `{any: [{resources: {${match}}}]}`));
    assert.deepEqual(messages(decide(snapshot, pod())), [
      "rule is skipped due to policy exceptionsdefault/e00000",
      "denied",
    ]);
  });
}

Deno.test("exceptions are found and named in their order, whether they are tried one by one or looked up", () => {
  const rules = ["[image]", "[image, other]", "['*']", "['im*']"];
  const each = Array.from({ length: 200 }, (_, at) => {
    const index = at * 7 % 200;
    return exception(at, mixed[index % mixed.length]!, rules[index % rules.length]);
  });
  const few = mixed.map((match, at) => exception(at, match, rules[at % rules.length]));
  const filling = Array.from({ length: 300 }, (_, at) => exception(900 + at, forms[at % 5]![1](at)));
  let named = 0;
  for (
    const exceptions of [
      each,
      few,
      [...each, ...filling],
      ...mixed.map((match) => [exception(0, match), ...filling]),
    ]
  ) {
    const snapshot = policies(policy + exceptions.join(""));
    for (const object of objects) {
      // An explanation tries each exception.
      const expected = decide(snapshot, object, new Trace(ports().clock));
      const decision = decide(snapshot, object);
      assert.deepEqual(messages(decision), messages(expected));
      named += messages(decision).filter((message) => message?.includes("default/e")).length;
    }
  }
  assert.ok(named > 50, `${named} results name exceptions`);
});
