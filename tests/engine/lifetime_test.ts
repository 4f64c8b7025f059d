import assert from "node:assert/strict";
import { evaluate, type Phase } from "../../lib/engine/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import type { Answer, ApiCall, Lifetime, Ports } from "../../lib/ports.ts";
import { pod, policies, ports, request } from "./ports.ts";

const match = "match: {any: [{resources: {kinds: [Pod]}}]}";
/** Lists of which the path of the second is in the first. */
const context = `context:
    - {name: first, apiCall: {urlPath: /api/v1/first, jmesPath: "items[0]"}}
    - {name: second, apiCall: {urlPath: "/api/v1/{{ first }}"}}`;

function policy(body: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: loading}
spec:
  validationFailureAction: Enforce
  rules:
  - name: loads
    ${match}
    ${context}
    ${body}
`;
}

const denying =
  `validate: {message: refused, deny: {conditions: {all: [{key: "{{ second.kind }}", operator: Equals, value: Bad}]}}}`;
const mutating = `mutate: {patchStrategicMerge: {metadata: {labels: {kind: "{{ second.kind }}"}}}}`;
const generating = `generate:
      apiVersion: v1
      kind: ConfigMap
      name: made
      namespace: default
      data: {data: {kind: "{{ second.kind }}"}}`;
const cel = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: loading}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - expression: resource.List("v1", "first", "default").items.size() > 5
`;

function ok(body: Json): Promise<Answer> {
  return Promise.resolve({ ok: true, status: 200, body });
}

const cases: readonly {
  readonly what: string;
  readonly text: string;
  readonly phase?: Phase;
  readonly second?: () => Promise<Answer>;
}[] = [
  { what: "an evaluation that allows", text: policy(denying) },
  { what: "an evaluation that denies", text: policy(denying), second: () => ok({ kind: "Bad" }) },
  { what: "a mutation", text: policy(mutating), phase: "mutate" },
  { what: "an evaluation in the background", text: policy(generating), phase: "generate" },
  { what: "an evaluation in CEL", text: cel },
  {
    what: "a rule that fails",
    text: policy(denying),
    second: () => Promise.resolve({ ok: false, status: 500, message: "broken" }),
  },
  { what: "a port that throws", text: policy(denying), second: () => Promise.reject(new Error("bug")) },
  { what: "a deadline", text: policy(denying), second: () => new Promise(() => {}) },
];
for (const { what, text, phase = "validate", second = () => ok({ kind: "List" }) } of cases) {
  Deno.test(`answers are in memory until the evaluation has ended: ${what}`, async () => {
    const lifetimes = new Set<Lifetime | undefined>();
    let ended = 0, isDecided = false;
    const call = ({ path, lifetime }: ApiCall): Promise<Answer> => {
      if (!lifetimes.has(lifetime)) {
        lifetime?.whenEnded(() => {
          assert.equal(isDecided, false);
          ended++;
        });
      }
      lifetimes.add(lifetime);
      return path.endsWith("first") ? ok({ items: ["second"] }) : second();
    };
    const resource = () =>
      Promise.resolve({ group: "", version: "v1", kind: "First", plural: "first", namespaced: true });
    const fake: Ports = { ...ports(), cluster: { call, resource } };
    const decision = evaluate(policies(text), request(pod()), {
      phase,
      ports: fake,
      deadline: () => AbortSignal.timeout(100),
    });
    assert.equal(ended, 0);
    await decision;
    isDecided = true;
    assert.equal(lifetimes.size, 1, "all calls of an evaluation have its lifetime");
    assert.equal(ended, 1);
  });
}
