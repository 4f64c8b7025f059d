/** Reviews whose JSON takes twenty times as much memory as its text: anybody who may create a Pod can send them. */
import assert from "node:assert/strict";
import { fakeServer, silence } from "../adapters/fake_server.ts";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import type { ServerProcess } from "../support/server_process.ts";
import { policyCalling } from "./filled_memory.ts";

const enforced = denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
/** MiB that no attack may pass. */
const bound = 200;

/** A review of a Pod whose spec has so many characters of a dense value. */
function review(uid: string, value: string): string {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: "HERE",
  };
  return JSON.stringify(admissionReview({ uid, object })).replace('"HERE"', value);
}

const empty = (characters: number): string => `{"tolerations":[${"{},".repeat(characters / 3)}{}]}`;

async function statusOf(server: ServerProcess, body: string, seconds = 30): Promise<number> {
  using connection = await RawConnection.open(server.port);
  await connection.write(postBytes(`/validate/fail?timeout=${seconds}s`, body));
  return (await connection.answer()).status;
}

/** The answer of a replica that still runs, within its memory, to a review of a Pod whose spec is this JSON. */
async function answerTo(
  policies: string,
  spec: string,
): Promise<{ readonly allowed: boolean; readonly status?: { readonly message?: string } }> {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  using connection = await RawConnection.open(server.port);
  await connection.write(postBytes("/validate/fail?timeout=20s", review("dense", spec)));
  const { status, text } = await connection.answer();
  assert.equal(status, 200);
  assert.ok(server.running());
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n"))).response;
}

const attacks: readonly (readonly [what: string, count: number, value: string, status: number])[] = [
  ["ten of 1.5 MB with empty maps", 10, empty(1_450_000), 200],
  ["four of 2.9 MB with empty maps, which would take half of the heap each", 4, empty(2_900_000), 413],
];
for (const [what, count, value, status] of attacks) {
  Deno.test(`reviews that take much more memory than their text do not end the process: ${what}`, async () => {
    await using server = await startReplica({ policies: enforced, args: ["--no-tls"] });
    const statuses = await Promise.all(
      Array.from({ length: count }, (_, index) => statusOf(server, review(`review-${index}`, value))),
    );
    assert.deepEqual([...new Set(statuses)], [status]);
    assert.ok(server.running());
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  });
}

/** A policy with one rule about Pods. */
function enforcing(rule: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: enforcing}
spec:
  validationFailureAction: Enforce
  rules:
  - name: rule
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: refused, ${rule}}
`;
}

const maps = empty(1_400_000);
const many = Array.from({ length: 93_000 }, (_, at) => `{"name":"${at.toString(36)}","image":"a:${at}"}`);
const containers = `{"containers":[${many.join()}]}`;
const exclude = `exclude: [{controlName: Capabilities, images: ["*"]}]`;
const rules: readonly (readonly [what: string, rule: string, spec: string, allowed: boolean])[] = [
  ["violates an assertion", "assert: {object: {spec: {~.(tolerations): {(key || ''): x}}}}", maps, false],
  [
    "is skipped by a condition of a pattern",
    `pattern: {spec: {tolerations: [{"(key)": "a*", operator: x}]}}`,
    maps,
    true,
  ],
  [
    "has its items listed",
    `deny: {conditions: {any: [{key: "{{ length(items(request.object.spec.tolerations, 'k', 'v')) }}", operator: Equals, value: 1}]}}`,
    maps,
    false,
  ],
  ["violates podSecurity", "podSecurity: {level: restricted}", containers, false],
  ["violates podSecurity with exclusions", `podSecurity: {level: restricted, ${exclude}}`, containers, false],
];
for (const [what, rule, spec, expected] of rules) {
  Deno.test(`a Pod of many small values that ${what} is answered within the memory bound`, async () => {
    const { allowed, status: { message = "" } = {} } = await answerTo(enforcing(rule), spec);
    assert.equal(allowed, expected);
    assert.ok(message.length < 20_000, `${message.length} characters`);
  });
}

/** A policy in CEL with one expression about Pods. */
function validating(expression: string): string {
  return `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: validating}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{message: refused, expression: ${JSON.stringify(expression)}}]
`;
}

/** The Pod's text, which has another such value. */
const parsed = "parse_json(request.object.spec.text)", text = "object.spec.text";
const parsers: readonly (readonly [what: string, policy: string])[] = [
  [
    "parse_json",
    enforcing(
      `deny: {conditions: {any: [{key: "{{ length(items(${parsed}, 'k', 'v')) }}", operator: Equals, value: 1}]}}`,
    ),
  ],
  ["json.unmarshal", validating(`json.unmarshal(${text}).size() > 0`)],
  ["yaml.parse", validating(`yaml.parse(${text}).size() > 0`)],
];
for (const [what, policy] of parsers) {
  Deno.test(`a text of many small values that ${what} reads is answered within the memory bound`, async () => {
    const spec = JSON.stringify({ text: `[${"{},".repeat(600_000)}{}]` });
    assert.equal((await answerTo(policy, spec)).allowed, false);
  });
}

const makers = ["json.marshal(object.spec.list)", "random('[a-z]{1000}')", "bytes(object.spec.text)"];
for (const maker of makers) {
  Deno.test(`${maker} for each element of a Pod's list is answered within the memory bound`, async () => {
    const policy = validating(`object.spec.list.map(x, ${maker}).size() > 0`);
    const spec = JSON.stringify({ list: Array.from({ length: 20_000 }, () => 1), text: "ab".repeat(20_000) });
    assert.equal((await answerTo(policy, spec)).allowed, false);
  });
}

/** Mutates each element of a list of a Pod. */
const looping = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: looping}
spec:
  rules:
  - name: keys
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate:
      foreach:
      - list: request.object.spec.tolerations
        patchesJson6902: |-
          - {op: add, path: "/spec/tolerations/{{elementIndex}}/key", value: x}
`;

/** The response of a replica to a review of a Pod with so many elements that the rule mutates, within its memory. */
async function mutated(
  elements: number,
): Promise<{ readonly patch: string; readonly status: { readonly message: string } }> {
  await using server = await startReplica({ policies: looping, args: ["--no-tls"] });
  using connection = await RawConnection.open(server.port);
  const written = review("looping", empty(3 * (elements - 1)));
  await connection.write(postBytes("/mutate/fail?timeout=30s", written));
  const { status, text } = await connection.answer();
  assert.equal(status, 200);
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n"))).response;
}

Deno.test("a Pod of which a rule mutates each of 140,000 elements is answered within the memory bound", async () => {
  const { patch } = await mutated(140_000);
  const [{ op, path, value }] = JSON.parse(atob(patch));
  assert.deepEqual([op, path, value.length, value.at(-1)], ["replace", "/spec/tolerations", 140_000, {
    key: "x",
  }]);
});

Deno.test("a Pod of which a rule mutates each of 466,000 elements takes more steps than a request has", async () => {
  assert.match((await mutated(466_000)).status.message, /the request takes too many steps/);
});

const waiting: readonly (readonly [what: string, action: string, count: number, characters: number])[] = [
  ["audits that wait for a service", "Audit", 60, 200_000],
  ["short reviews that wait for a service", "Enforce", 400, 30_000],
];
for (const [what, action, count, characters] of waiting) {
  Deno.test(`the memory that ${what} take is bounded`, async () => {
    const service = fakeServer(() => silence());
    try {
      await using server = await startReplica({
        policies: policyCalling(service.address, action),
        args: ["--no-tls", "--allow-service-address", "127.0.0.0/8"],
      });
      const statuses = await Promise.all(
        Array.from(
          { length: count },
          (_, index) => statusOf(server, review(`review-${index}`, empty(characters)), 5),
        ),
      );
      // A busy machine answers those with 503 that would be late for their callers.
      assert.deepEqual(statuses.filter((status) => status !== 200 && status !== 503), []);
      assert.ok(statuses.includes(200));
      assert.ok(server.running());
      const { most } = await server.memory();
      assert.ok(most < bound, `${most} MiB`);
    } finally {
      await service.close();
    }
  });
}
