/** The effects of generate rules, and their errors. */
import { planErrorsOf } from "../../lib/rules/mod.ts";
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import { dig } from "../../lib/json/mod.ts";
import { policies, portsWith, request } from "../background/setting.ts";
import { cluster, decide, made, map, namespace, policy, shown, whenWanted } from "./generate_rules.ts";

const cases: [title: string, generate: string, rest: string, effects: string[], planErrors?: RegExp][] = [
  ["data is made", map("new", "data: {data: {a: b}}"), "", ["create ConfigMap team/new"]],
  ["an object without data is made", map("new", ""), "", ["create ConfigMap team/new"]],
  ["by server-side apply it is applied", map("new", "data: {}"), "useServerSideApply", [
    "apply ConfigMap team/new",
  ]],
  ["without synchronize an existing object stays", map("there", "data: {data: {a: b}}"), "", []],
  [
    "with synchronize an object that differs is updated",
    map("there", "synchronize: true\ndata: {data: {a: b}}"),
    "",
    ["update ConfigMap team/there"],
  ],
  [
    "names may be variables",
    map('"{{ request.object.metadata.name }}-x"', "data: {}"),
    "",
    ["create ConfigMap team/team-x"],
  ],
  [
    "a variable that cannot be resolved is a plan error",
    map('"{{ request.object.nothing }}"', "data: {}"),
    "",
    [],
    /Unknown key "nothing"/,
  ],
  [
    "a clone is made, and its source labelled",
    "apiVersion: v1\nkind: Secret\nname: copy\nnamespace: team\nclone: {namespace: default, name: source}",
    "",
    ["update Secret default/source", "create Secret team/copy"],
  ],
  [
    "a missing source is a plan error",
    "apiVersion: v1\nkind: Secret\nname: copy\nnamespace: team\nclone: {namespace: default, name: none}",
    "",
    [],
    /source v1\/Secret\/default\/none not found: secrets "none" not found/,
  ],
  [
    "an object is no clone of itself",
    "apiVersion: v1\nkind: Secret\nname: source\nnamespace: default\nclone: {namespace: default, name: source}",
    "",
    [],
  ],
  [
    "a list of kinds is cloned by selector",
    "namespace: team\ncloneList:\n  namespace: default\n  kinds: [v1/Secret, v1/ConfigMap]\n  selector: {matchLabels: {shared: 'yes'}}",
    "",
    [
      "update Secret default/shared-1",
      "create Secret team/shared-1",
      "update Secret default/shared-2",
      "create Secret team/shared-2",
      "update ConfigMap default/shared-3",
      "create ConfigMap team/shared-3",
    ],
  ],
  [
    "a list in the source's namespace is not cloned",
    "namespace: default\ncloneList: {namespace: default, kinds: [v1/Secret]}",
    "",
    [],
  ],
  [
    "a kind that is not served is a plan error",
    "namespace: team\ncloneList: {namespace: default, kinds: [example.com/v1/Thing]}",
    "",
    [],
    /does not serve example.com\/v1\/Thing/,
  ],
  [
    "each element is generated, where its preconditions hold",
    `foreach:
- list: request.object.metadata.annotations.zones | split(@, ',')
  context: [{name: zone, variable: {jmesPath: element}}]
  preconditions: {all: [{key: "{{ zone }}", operator: NotEquals, value: b}]}
  apiVersion: v1
  kind: ConfigMap
  name: "zone-{{ zone }}-{{ elementIndex }}"
  namespace: team
  data: {}`,
    "",
    ["create ConfigMap team/zone-a-0", "create ConfigMap team/zone-c-2"],
  ],
  [
    "an element that fails does not stop the others",
    `foreach:
- list: "['source', 'none', 'shared-1']"
  apiVersion: v1
  kind: Secret
  name: "{{ element }}"
  namespace: team
  clone: {namespace: default, name: "{{ element }}"}`,
    "",
    [
      "update Secret default/source",
      "create Secret team/source",
      "update Secret default/shared-1",
      "create Secret team/shared-1",
    ],
    /none not found/,
  ],
];
for (const [title, generate, rest, effects, planErrors] of cases) {
  Deno.test(`generate: ${title}`, async () => {
    const decision = await decide(policy(generate, rest));
    assert.deepEqual(decision.effects.map(shown), effects);
    const [rule] = decision.results[0]!.rules;
    assert.deepEqual([rule?.result, rule?.message], ["pass", ""]);
    if (planErrors === undefined) assert.deepEqual(planErrorsOf(rule!), []);
    else assert.match(planErrorsOf(rule!).join("\n"), planErrors);
  });
}

Deno.test("generated objects name their owner, clones their source, and neither has fields of the API server", async () => {
  const decision = await decide(
    policy(
      "apiVersion: v1\nkind: Secret\nname: copy\nnamespace: team\nclone: {namespace: default, name: source}",
    ),
  );
  assert.deepEqual(decision.effects[1]?.object, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      labels: {
        keep: "me",
        "app.kubernetes.io/managed-by": "kyverno",
        "generate.kyverno.io/clone-source": "",
        "generate.kyverno.io/policy-name": "p",
        "generate.kyverno.io/policy-namespace": "",
        "generate.kyverno.io/rule-name": "r",
        "generate.kyverno.io/source-group": "",
        "generate.kyverno.io/source-kind": "Secret",
        "generate.kyverno.io/source-namespace": "default",
        "generate.kyverno.io/source-uid": "u-source",
        "generate.kyverno.io/source-version": "v1",
        "generate.kyverno.io/trigger-group": "",
        "generate.kyverno.io/trigger-kind": "Namespace",
        "generate.kyverno.io/trigger-namespace": "",
        "generate.kyverno.io/trigger-uid": "u-team",
        "generate.kyverno.io/trigger-version": "v1",
      },
      name: "copy",
      namespace: "team",
    },
    type: "Opaque",
    data: { a: "eA==" },
  });
});

Deno.test("the rule's apiVersion wins over that of the data, the data's kind over the rule's", async () => {
  const data = "data: {apiVersion: v1beta1, kind: Secret}";
  const [effect] = (await decide(policy(map("new", data)))).effects;
  assert.deepEqual([effect?.object["apiVersion"], effect?.object["kind"]], ["v1", "Secret"]);
});

Deno.test("without a cluster a clone finds no source among the other objects", async () => {
  const text = policy(
    "apiVersion: v1\nkind: Secret\nname: copy\nnamespace: team\nclone: {namespace: default, name: source}",
  );
  const { ports } = portsWith(cluster);
  const decision = await evaluate(policies(text), request(namespace), {
    phase: "generate",
    ports,
    absent: ["downstream"],
  });
  assert.deepEqual(decision.effects, []);
  assert.match(planErrorsOf(decision.results[0]!.rules[0]!).join(), /secrets "source" not found/);
});

Deno.test("an update names the version that it replaces", async () => {
  const decision = await decide(policy(map("there", "synchronize: true\ndata: {data: {a: b}}")));
  const version = dig(decision.effects[0]?.object, "metadata", "resourceVersion");
  assert.equal(typeof version, "string");
});

const foreign: [title: string, generate: string][] = [
  ["generate into other namespaces", map("x", "data: {}")],
  [
    "clone from other namespaces",
    "apiVersion: v1\nkind: Secret\nname: s\nnamespace: mine\nclone: {namespace: default, name: source}",
  ],
  [
    "clone lists from other namespaces",
    "namespace: mine\ncloneList: {namespace: default, kinds: [v1/Secret]}",
  ],
  ["generate for the whole cluster", 'apiVersion: v1\nkind: Namespace\nname: x\nnamespace: ""\ndata: {}'],
];
for (const [title, generate] of foreign) {
  const text = policy(generate).replace("kind: ClusterPolicy", "kind: Policy")
    .replace("{name: p}", "{name: p, namespace: mine}").replace("kinds: [Namespace]", "kinds: [Pod]");

  Deno.test(`a Policy that would ${title} is reported at load`, () => {
    const [problem] = policies(text).diagnostics;
    assert.deepEqual([problem?.severity, problem?.code], ["error", "bad-generate"]);
    assert.match(problem?.message ?? "", /a Policy cannot/);
  });

  Deno.test(`a Policy cannot ${title} by a variable`, async () => {
    const hidden = text.replaceAll(/namespace: (default|team|"")/g, `namespace: "{{ '$1' }}"`).replace(
      `'""'`,
      "''",
    );
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "x", namespace: "mine" } };
    const decision = await decide(hidden, request(pod));
    assert.deepEqual(decision.effects, []);
    assert.match(planErrorsOf(decision.results[0]!.rules[0]!)[0] ?? "", /a Policy cannot/);
  });
}

for (const missing of ["kind", "name"]) {
  Deno.test(`a pattern without ${missing} is reported at load`, () => {
    const text = policy(map("x", "data: {}").replace(new RegExp(`${missing}: .*\n`), ""));
    assert.match(policies(text).diagnostics[0]?.message ?? "", new RegExp(`generate needs a ${missing}`));
  });
}

Deno.test("generate: preconditions that cannot be evaluated are an error", async () => {
  const text = policy(made(true), whenWanted.replace(" || ''", "").replace("want", "nothing"));
  const [rule] = (await decide(text)).results[0]!.rules;
  assert.equal(rule?.result, "error");
  assert.match(rule?.message ?? "", /^failed to evaluate conditions: .*Unknown key "nothing"/);
});

Deno.test("generate: a PolicyException exempts the object from the rule", async () => {
  const exception = `
---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: not-team, namespace: default}
spec:
  exceptions: [{policyName: p, ruleNames: [r]}]
  match: {any: [{resources: {kinds: [Namespace], names: [team]}}]}
`;
  const decision = await decide(policy(made(true)) + exception);
  assert.equal(
    decision.results[0]?.rules[0]?.message,
    "rule is skipped due to policy exception default/not-team",
  );
  assert.deepEqual(decision.effects, []);
});
