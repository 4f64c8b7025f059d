/** Policies that write one text of an object many times: a Pod of a megabyte is small until its patch is written. */
import assert from "node:assert/strict";
import { evaluate, type Phase, policyRequest } from "../../lib/engine/mod.ts";
import { jsonSize } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf, snapshotOf } from "../server/serving.ts";
import { processorTime } from "../support/processor_time.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";

const size = 1_000_000;

/** A Pod with a long text, and a list of so many elements. */
function growing(elements: number) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", annotations: {} },
    spec: { text: "a".repeat(size), list: Array.from({ length: elements }, (_, index) => index) },
  };
}

const classic = (rules: string, spec = ""): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: growing}
spec:
  ${spec}
  rules:
  ${rules}
`;
const matching = "match: {any: [{resources: {kinds: [Pod]}}]}";

/** A rule that mutates a Pod for each element of its list. */
const looping = (change: string): string => `
  - name: each
    ${matching}
    mutate:
      foreach:
      - list: request.object.spec.list
        ${change}`;

const operation = `
        patchesJson6902: |-
          - {op: add, path: "/metadata/annotations/a{{ elementIndex }}", value: "{{ request.object.spec.text }}"}`;

const merge =
  `patchStrategicMerge: {metadata: {annotations: {"a{{ elementIndex }}": "{{ request.object.spec.text }}"}}}`;

/** Some rules, each of which adds a text. */
const oneByOne = Array.from(
  { length: 12 },
  (_, index) => `
  - name: r${index}
    ${matching}
    mutate: {patchStrategicMerge: {metadata: {annotations: {a${index}: "{{ request.object.spec.text }}"}}}}`,
).join("");

/** A rule that generates an object with a text for each element of a Pod's list. */
const generation = (text: string): string => `
  - name: each
    ${matching}
    generate:
      foreach:
      - list: request.object.spec.list
        apiVersion: v1
        kind: ConfigMap
        name: "a{{ elementIndex }}"
        namespace: default
        data: {data: {a: "${text}"}}`;

const inCel = (kind: string, fields: string): string => `
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: growing}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  ${fields}
`;

/** Variables of which each holds the one before ten times: the last is small until it is copied. */
const tenfold = Array.from(
  { length: 6 },
  (_, index) => `{name: v${index + 1}, expression: "[${Array(10).fill(`variables.v${index}`).join(", ")}]"}`,
).join(", ");

const copies = (expression: string): string =>
  `variables: [{name: v0, expression: object.spec.list}, ${tenfold}]
  ${expression}`;

/** A rule that sends a text to the cluster for each element of a Pod's list. */
const calling = `
  - name: each
    ${matching}
    validate:
      message: none
      foreach:
      - list: request.object.spec.list
        context:
        - name: answer
          apiCall:
            urlPath: /apis/x
            method: POST
            data: [{key: a, value: "{{ request.object.spec.text }}"}, {key: b, value: "{{ elementIndex }}"}]
        deny: {conditions: {all: [{key: "{{ answer }}", operator: Equals, value: x}]}}`;

interface Case {
  readonly what: string;
  readonly policy: string;
  readonly message: RegExp;
  readonly phase?: Phase;
}

const written = /have more than 33554432 characters/, cost = /cost limit exceeded/;
/** The error of a JSON patch in a loop: its text is parsed again for each element, and each time costs steps. */
const tooLong = /the text of the patch takes too many steps to read/;

const cases: readonly Case[] = [
  { what: "a JSON patch for each element", policy: classic(looping(operation)), message: tooLong },
  { what: "a merge for each element", policy: classic(looping(merge)), message: written },
  {
    what: "twelve rules",
    policy: classic(oneByOne),
    message: /the patch of all mutations of this object has more than 8388608 characters/,
  },
  {
    what: "an object that is generated for each element",
    policy: classic(generation("{{ request.object.spec.text }}")),
    message: written,
    phase: "generate",
  },
  {
    what: "a call of the cluster for each element",
    policy: classic(calling, "validationFailureAction: Enforce"),
    message: written,
    phase: "validate",
  },
  {
    what: "a JSON patch in CEL",
    policy: inCel(
      "MutatingPolicy",
      `mutations: [{patchType: JSONPatch, jsonPatch: {expression: 'object.spec.list.map(i, JSONPatch{op: "add", path: "/metadata/annotations/a" + string(i), value: object.spec.text})'}}]`,
    ),
    message: cost,
  },
  {
    what: "an apply configuration in CEL",
    policy: inCel(
      "MutatingPolicy",
      `mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{annotations: object.spec.list.transformMapEntry(i, v, {string(i): object.spec.text})}}"}}]`,
    ),
    message: cost,
  },
  {
    what: "variables of a patch in CEL",
    policy: inCel(
      "MutatingPolicy",
      copies(
        `mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: "add", path: "/spec/x", value: variables.v6}]'}}]`,
      ),
    ),
    message: cost,
  },
  {
    what: "variables of a generated object in CEL",
    policy: inCel(
      "GeneratingPolicy",
      copies(
        `generate: [{template: {interpolate: cel, value: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {a: ((variables.v6))}}"}}]`,
      ),
    ),
    message: cost,
    phase: "generate",
  },
];

for (const { what, policy, message, phase = "mutate" } of cases) {
  Deno.test(`${what} that would grow a Pod of a megabyte to hundreds is an error`, async () => {
    const parsed = parseReview(admissionReview({ object: growing(200) }));
    assert.ok(parsed.ok);
    const request = policyRequest(parsed.review.request);
    const call = () => Promise.resolve({ ok: true, status: 200, body: "y" } as const);
    const ports = portsOf({ cluster: { call, resource: () => Promise.resolve(undefined) } });
    const decision = await evaluate(snapshotOf(policy), request, { phase, rules: "all", ports });
    const [rule] = decision.results[0]!.rules;
    const generated = rule?.result === "pass" ? rule.planErrors : undefined;
    assert.match(generated?.at(-1) ?? rule?.message ?? "", message);
    assert.equal(decision.allowed, phase === "generate");
    assert.deepEqual(decision.patch, []);
    const effects = decision.effects.reduce((sum, { object }) => sum + jsonSize(object), 0);
    assert.ok(effects < 33_600_000, String(effects));
  });
}

Deno.test("patches that are too large together are dropped where failurePolicy is Ignore", async () => {
  const parsed = parseReview(admissionReview({ object: growing(1) }));
  assert.ok(parsed.ok);
  const request = policyRequest(parsed.review.request);
  const snapshot = snapshotOf(classic(oneByOne, "failurePolicy: Ignore"));
  const decision = await evaluate(snapshot, request, { phase: "mutate", rules: "all", ports: portsOf() });
  assert.deepEqual([decision.allowed, decision.patch], [true, []]);
  assert.ok(jsonSize(decision.object!) < 1.1 * size);
});

const configMaps = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };

Deno.test("a Pod with 100,000 elements, for each of which a rule generates an object, leads to 8,000 look-ups", async () => {
  const parsed = parseReview(admissionReview({ object: growing(100_000) }));
  assert.ok(parsed.ok);
  const request = policyRequest(parsed.review.request), snapshot = snapshotOf(classic(generation("x")));
  let calls = 0, pauses = 0;
  const call = () => Promise.resolve({ ok: false, status: 404, message: `not found: ${calls++}` } as const);
  const scheduler = { sliceMilliseconds: 1, pause: () => Promise.resolve(void pauses++) };
  const ports = portsOf({
    cluster: { call, resource: () => Promise.resolve(configMaps) },
    scheduler,
    clock: { now: () => pauses * 10 + processorTime() },
  });
  const decision = await evaluate(snapshot, request, { phase: "generate", rules: "all", ports });
  const { length } = decision.effects;
  assert.ok(length > 7_000 && length < 8_192, String(length));
  assert.ok(calls < 10_000, String(calls));
  // Other requests have their turn between elements.
  assert.ok(pauses > 10, String(pauses));
});

for (
  const [how, change, message] of [["a JSON patch", operation, tooLong], ["a merge", merge, written]] as const
) {
  Deno.test(`${how} with a Pod's text for each element is answered within the memory bound`, async () => {
    await using server = await startReplica({ policies: classic(looping(change)), args: ["--no-tls"] });
    using connection = await RawConnection.open(server.port);
    const body = JSON.stringify(admissionReview({ object: growing(200) }));
    await connection.write(postBytes("/mutate/fail?timeout=30s", body));
    const { status, text } = await connection.answer();
    assert.equal(status, 200);
    assert.match(text, message);
    const { most } = await server.memory();
    assert.ok(most < 200, `${most} MiB`);
  });
}
