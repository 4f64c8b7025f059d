/** Values from outside are loaded once, and only for policies that read them. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";
import { noHostPid, policy } from "./decide_now.ts";

Deno.test("evaluation loads external values in parallel, each once", async () => {
  const rule = (name: string) =>
    `  - name: ${name}
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: cm, configMap: {name: teams, namespace: default}}]
    validate:
      message: "not {{ cm.data.name }}"
      deny: {conditions: {all: [{key: "{{ request.object.metadata.name }}", operator: NotEquals, value: "{{ cm.data.name }}"}]}}`;
  const fake = ports({ "/api/v1/namespaces/default/configmaps/teams": { data: { name: "db" } } });
  const snapshot = policies(policy("a", rule("r")) + policy("b", rule("r")));
  const pending = evaluate(snapshot, request(pod()), { phase: "validate", ports: fake });
  assert.ok(pending instanceof Promise);
  const decision = await pending;
  assert.deepEqual(decision.results.flatMap(({ rules }) => rules.map(({ message }) => message)), [
    "not db",
    "not db",
  ]);
  assert.equal(fake.calls.length, 1);
});

Deno.test("namespace labels are loaded only for policies that read them; without an answer failurePolicy decides", async () => {
  const selecting = noHostPid.replace(
    "kinds: [Pod]",
    "kinds: [Pod], namespaceSelector: {matchLabels: {env: prod}}",
  );
  const fake = ports({ "/api/v1/namespaces/default": { metadata: { labels: { env: "prod" } } } });
  const snapshot = policies(policy("p", selecting));
  const decision = await evaluate(snapshot, request(pod({ hostPID: true })), {
    phase: "validate",
    ports: fake,
  });
  assert.equal(decision.allowed, false);
  const down = ports();
  const refusing = {
    ...down,
    cluster: {
      ...down.cluster,
      call: () => Promise.resolve({ ok: false, status: 500, message: "down" } as const),
    },
  };
  const blind = await evaluate(snapshot, request(pod()), { phase: "validate", ports: refusing });
  assert.equal(blind.allowed, false);
  assert.match(
    blind.results[0]!.rules[0]!.message,
    /failed to create policy context: failed to read namespace default: down/,
  );
});

const rolesReaders: [expression: string, needsRoles: boolean][] = [
  ["request.roles", true],
  ["request.clusterRoles[0]", true],
  ["request.[roles, namespace]", true],
  ["request.{r: roles}", true],
  ["request.*", true],
  ["to_string(request)", true],
  ["request", true],
  ["request.keys(@)", true],
  ["request.object.spec.roles", false],
  ["request.userInfo.groups", false],
];
for (const [expression, needsRoles] of rolesReaders) {
  Deno.test(`{{ ${expression} }} ${needsRoles ? "reads" : "does not read"} the requester's roles from the cluster`, () => {
    const rule = `  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: "no request is denied", deny: {conditions: {any: [{key: "{{ ${expression} }}", operator: Equals, value: a}]}}}`;
    assert.equal(policies(policy("p", rule)).policies[0]!.rules[0]!.needsRoles, needsRoles);
  });
}
