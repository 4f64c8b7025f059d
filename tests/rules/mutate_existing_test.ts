import assert from "node:assert/strict";
import { type Decision, evaluate } from "../../lib/engine/mod.ts";
import { asString, dig, type JsonObject } from "../../lib/json/mod.ts";
import { policies, portsWith, request } from "../background/setting.ts";

const trigger: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "trigger", namespace: "blue" },
  data: { color: "red", wanted: "web" },
};
const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: blue}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: green}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: blue, labels: {tier: front}}, spec: {replicas: 1}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: db, namespace: blue, labels: {tier: back}}, spec: {replicas: 2}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: green, labels: {tier: front, color: red}}, spec: {replicas: 3}}
`;
const paint = 'patchStrategicMerge: {metadata: {labels: {color: "{{ request.object.data.color }}"}}}';

function policy(target: string, patch = paint): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    mutate:
      targets:
      - {apiVersion: apps/v1, kind: Deployment, ${target}}
      ${patch}
`;
}

async function decide(text: string): Promise<Decision> {
  const snapshot = policies(text);
  assert.deepEqual(snapshot.diagnostics.filter(({ severity }) => severity === "error"), []);
  return await evaluate(snapshot, request(trigger), {
    phase: "mutateExisting",
    ports: portsWith(cluster).ports,
  });
}

const both = ["mutated Deployment/db in namespace blue", "mutated Deployment/web in namespace blue"];
const cases: [title: string, target: string, messages: string[]][] = [
  ["by name and namespace", "namespace: blue, name: web", ["mutated Deployment/web in namespace blue"]],
  [
    "by name with variables",
    'namespace: "{{ request.namespace }}", name: "{{ request.object.data.wanted }}"',
    [
      "mutated Deployment/web in namespace blue",
    ],
  ],
  ["by wildcards", 'namespace: "b*", name: "?*"', both],
  ["all of a namespace", "namespace: blue", both],
  ["by name in all namespaces", "name: web", [
    "mutated Deployment/web in namespace blue",
    "no patches applied",
  ]],
  ["by selector", "selector: {matchLabels: {tier: back}}", ["mutated Deployment/db in namespace blue"]],
  [
    "by preconditions about the target",
    '"preconditions": {all: [{key: "{{ target.spec.replicas }}", operator: GreaterThan, value: 1}]}',
    [
      "mutated Deployment/db in namespace blue",
      "no patches applied",
      "preconditions not met",
    ],
  ],
  [
    "by context about the target",
    'context: [{name: many, variable: {jmesPath: "target.spec.replicas > `1`"}}], preconditions: {all: [{key: "{{ many }}", operator: Equals, value: true}]}, namespace: blue',
    ["mutated Deployment/db in namespace blue", "preconditions not met"],
  ],
  ["that do not exist", 'name: "x*"', []],
  ["that must be there", "namespace: blue, name: none", [': deployments.apps "none" not found']],
  [
    "whose name cannot be resolved",
    'namespace: blue, name: "{{ request.object.none }}"',
    [
      ': failed to substitute variables in target[0]: failed to resolve request.object.none at path /name: JMESPath query failed: Unknown key "none" in path',
    ],
  ],
];

for (const [title, target, messages] of cases) {
  Deno.test(`mutate.targets finds targets ${title}`, async () => {
    const decision = await decide(policy(target));
    const found = decision.results.flatMap(({ rules }) => rules.map(({ message }) => message));
    assert.deepEqual(found.sort(), messages);
  });
}

Deno.test("each changed target is an update of the version that was read; the trigger stays as it is", async () => {
  const decision = await decide(policy("namespace: blue"));
  assert.deepEqual(
    decision.effects.map(({ verb, object }) => [verb, dig(object, "metadata", "labels", "color")]),
    [
      ["update", "red"],
      ["update", "red"],
    ],
  );
  for (const { object, reason } of decision.effects) {
    assert.equal(typeof asString(dig(object, "metadata", "resourceVersion")), "string");
    assert.match(reason, /is a target of the rule for ConfigMap blue\/trigger/);
  }
  assert.equal(decision.object, trigger);
  assert.deepEqual(decision.patch, []);
});

Deno.test("foreach goes over lists of the target", async () => {
  const patch = `foreach:
      - list: "['a', 'b']"
        patchesJson6902: |-
          - {op: add, path: "/metadata/annotations/{{ element }}", value: "{{ target.metadata.name }}"}`;
  const decision = await decide(policy("namespace: blue, name: db", patch));
  assert.deepEqual(dig(decision.effects[0]?.object, "metadata", "annotations"), { a: "db", b: "db" });
});

Deno.test("a failed patch of one target does not affect the others", async () => {
  const patch =
    'patchesJson6902: "[{\\"op\\": \\"test\\", \\"path\\": \\"/spec/replicas\\", \\"value\\": 2}, ' +
    '{\\"op\\": \\"remove\\", \\"path\\": \\"/spec/replicas\\"}]"';
  const decision = await decide(policy("namespace: blue", patch));
  assert.deepEqual(decision.results[0]?.rules.map(({ result }) => result).sort(), ["error", "pass"]);
  assert.equal(decision.effects.length, 1);
});

Deno.test("a Policy finds targets only in its namespace", async () => {
  const text = policy("namespace: green").replace("kind: ClusterPolicy", "kind: Policy")
    .replace("{name: p}", "{name: p, namespace: blue}");
  const decision = await decide(text);
  assert.deepEqual(decision.effects.map(({ object }) => dig(object, "metadata", "namespace")), [
    "blue",
    "blue",
  ]);
});

Deno.test("rules with targets do not run in the mutate phase", async () => {
  const decision = await evaluate(policies(policy("namespace: blue")), request(trigger), {
    phase: "mutate",
    ports: portsWith(cluster).ports,
  });
  assert.deepEqual([decision.results, decision.effects], [[], []]);
});

Deno.test("a rule finds more targets than a call takes arguments", async () => {
  const items = Array.from({ length: 130_000 }, (_, index) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `web-${index}`, namespace: "blue", labels: { color: "red" } },
  }));
  const { ports } = portsWith(cluster);
  const list = () =>
    Promise.resolve({ ok: true, status: 200, body: { kind: "DeploymentList", items } } as const);
  const snapshot = policies(policy("namespace: blue"));
  const decision = await evaluate(snapshot, request(trigger), {
    phase: "mutateExisting",
    ports: {
      ...ports,
      cluster: { ...ports.cluster, call: list, resource: (...args) => ports.cluster.resource(...args) },
    },
  });
  const results = decision.results[0]!.rules;
  assert.deepEqual(results.filter(({ result }) => result === "error").map(({ message }) => message), []);
  assert.equal(results.length, items.length);
});

/** A policy whose targets have another apiVersion and kind. */
function about(apiVersion: string, kind: string, target: string): string {
  return policy(target).replace(
    "apiVersion: apps/v1, kind: Deployment",
    `apiVersion: "${apiVersion}", kind: "${kind}"`,
  );
}

const parts = (kind: string): string[] => /[/.]/.test(kind) ? ["status"] : [""];
const kinds: [apiVersion: string, kind: string, found: string[], subresources?: string[]][] = [
  ["*", "Deployment", both],
  ["apps/*", "Deployment", both],
  ["a*/v1", "Deployment", both],
  ["v1", "Deployment", both],
  ["batch/*", "Deployment", [": the cluster does not serve batch/*/Deployment"]],
  ["*", "Unheard", [": the cluster does not serve */Unheard"]],
  ["*", "Deployment/status", both],
  ["apps/v1", "Deploy*", both],
  ["apps/v1", "*", both],
  ["apps/*", "?eployment", both],
  ["v1", "Deploy*", both],
  ["*", "Deploy*", both],
  ["apps/v1", "Job*", [": the cluster does not serve apps/v1/Job*"]],
  ["batch/v1", "Deploy*", [": the cluster does not serve batch/v1/Deploy*"]],
  ["none.io/v1", "*", [": the cluster does not serve none.io/v1/*"]],
  ["apps/v1", "*/status", both],
  ["apps/v1", "*.status", both],
  ["apps/v1", "Deployment/*", both],
  ["apps/v1", "Deployment/st*", both],
  ["apps/v1", "*/none", [": the cluster does not serve apps/v1/*/none"]],
  ["apps/v1", "*/*", [...both, ...both].sort(), ["", "status"]],
];
for (const [apiVersion, kind, found, subresources = parts(kind)] of kinds) {
  Deno.test(`a target's apiVersion and kind may have wildcards: ${apiVersion} of ${kind}`, async () => {
    const decision = await decide(about(apiVersion, kind, "namespace: blue"));
    assert.deepEqual(
      decision.results.flatMap(({ rules }) => rules.map(({ message }) => message)).sort(),
      found,
    );
    const written = decision.effects.map(({ subresource }) => {
      assert.deepEqual(
        [subresource?.apiVersion, subresource?.kind].filter((text) => text),
        subresource && ["apps/v1", "Deployment"] || [],
      );
      return subresource?.name ?? "";
    });
    assert.deepEqual([...new Set(written)].sort(), decision.effects.length > 0 ? subresources : []);
  });
}

Deno.test("a target by name and namespace in any apiVersion is read as one object", async () => {
  const decision = await decide(about("*", "Deployment", "namespace: blue, name: web"));
  assert.deepEqual(decision.effects.map(({ object }) => dig(object, "metadata", "name")), ["web"]);
});

const needs: [target: string, needed: string[]][] = [
  ["apiVersion: apps/v1, kind: Deployment/scale, namespace: blue, name: web", [
    "apps deployments/scale get,patch,update",
  ]],
  ["apiVersion: apps/v1, kind: Deployment/scale, namespace: blue", [
    "apps deployments/scale get,patch,update",
    "apps deployments list",
  ]],
  ['apiVersion: "*", kind: Deployment', ["apps deployments get,list,patch,update"]],
  ["apiVersion: v1, kind: Deployment", ["apps deployments get,list,patch,update"]],
  ['apiVersion: "*", kind: Unheard', ["unknown"]],
  ['apiVersion: apps/v1, kind: "Deploy*"', ["unknown"]],
  ['apiVersion: apps/v1, kind: "*/scale"', ["unknown"]],
  ['apiVersion: apps/v1, kind: "Deployment/*"', ["unknown"]],
];
for (const [target, needed] of needs) {
  Deno.test(`a policy needs rights to its target {${target}}`, () => {
    const text = policy("").replace("apiVersion: apps/v1, kind: Deployment, ", target);
    const found = policies(text).policies.flatMap(({ rules }) => rules.flatMap(({ needs }) => needs)).map((
      need,
    ) => need.kind === "resource" ? `${need.group} ${need.resource} ${need.verbs.join(",")}` : need.kind);
    assert.deepEqual(found, needed);
  });
}

/** The rule results for targets that are subresources of many objects, of which some are gone when they are read. */
async function statuses(count: number, gone: (name: string) => boolean): Promise<readonly string[]> {
  const many = Array.from({ length: count }, (_, index) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `web-${index}`, namespace: "blue" },
  }));
  const { ports, cluster: watched } = portsWith(many.map((each) => JSON.stringify(each)).join("\n---\n"));
  watched.interfere = ({ path }) => {
    const name = /deployments\/([^/]+)\/status$/.exec(path)?.[1];
    return name !== undefined && gone(name)
      ? { ok: false, status: 404, message: `deployments.apps "${name}" not found` }
      : undefined;
  };
  const snapshot = policies(about("apps/v1", "Deployment/status", "namespace: blue"));
  const decision = await evaluate(snapshot, request(trigger), { phase: "mutateExisting", ports });
  return decision.results.flatMap(({ rules }) =>
    rules.map(({ message }) => message.replace(/web-\d+/, "web"))
  );
}

const mutated = "mutated Deployment/web in namespace blue";
Deno.test("a rule reads the subresources of several hundred targets", async () => {
  assert.deepEqual(await statuses(300, () => false), Array.from({ length: 300 }, () => mutated));
});

Deno.test("a target that is deleted while its subresource is read is none, unless all are", async () => {
  assert.deepEqual(await statuses(3, (name) => name === "web-1"), [mutated, mutated]);
  assert.deepEqual(await statuses(3, () => true), [': deployments.apps "web" not found']);
});
