/** The status of a policy names the rights that accounts lack for it. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { celStatus } from "../../lib/live/cel_status.ts";
import { objectDocument } from "../../lib/live/object_document.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import {
  type MissingRules,
  missingRules,
  missingRulesMessage,
  rightsOf,
} from "../../lib/live/policy_rights.ts";
import { missingRights } from "../../lib/live/reporting_rights.ts";
import type { Cluster } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { onPods } from "./setting.ts";
import { compiled, enforcement, served, statusesIn } from "./policy_statuses.ts";

Deno.test("status: the policy names the rights that the reporting account lacks, in Kyverno's words", async () => {
  const reviewed: string[] = [];
  const missing = await missingRights(
    compiled(onPods.replace("resources: [pods]", "resources: [pods, pods/exec]")),
    ({ verb, resource, subresource = "" }) => {
      reviewed.push(`${verb} ${resource}/${subresource}`);
      return Promise.resolve({ allowed: subresource === "", reason: "" });
    },
  );
  assert.equal(reviewed.length, 6);
  assert.deepEqual(missing, [
    "get /v1, Resource=pods/exec: ",
    "list /v1, Resource=pods/exec: ",
    "watch /v1, Resource=pods/exec: ",
  ]);
  const status = celStatus(compiled(onPods), { ...enforcement, missingRights: missing.slice(0, 2) });
  assert.equal(dig(status, "conditionStatus", "ready"), false);
  assert.match(
    JSON.stringify(status),
    /missing permissions: get \/v1, Resource=pods\/exec: ; list \/v1, Resource=pods\/exec: \./,
  );
});

const onPodsAlone = onPods.replace("spec:", "spec:\n  autogen: {podControllers: {controllers: []}}");

const needing: readonly (readonly [what: string, policy: string, expected: readonly string[]])[] = [
  ["the objects of a scan", onPodsAlone, [
    'reports {"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch"]}',
  ]],
  [
    "no scan",
    onPods.replace("spec:", "spec:\n  evaluation: {background: {enabled: false}}"),
    [],
  ],
  [
    "the loads, downstream objects and triggers of a rule",
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - {name: c, configMap: {name: teams, namespace: shop}}
    - {name: d, apiCall: {urlPath: /apis/apps/v1/namespaces/shop/deployments}}
    generate: {apiVersion: v1, kind: Secret, name: s, namespace: shop, data: {}}
`,
    [
      'background {"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}',
      'background {"apiGroups":[""],"resources":["configmaps"],"resourceNames":["teams"],"verbs":["get"]}',
      'background {"apiGroups":["apps"],"resources":["deployments"],"verbs":["list"]}',
      'background {"apiGroups":[""],"resources":["secrets"],"verbs":["create","delete","get","list","patch","update"]}',
    ],
  ],
  [
    "a look-up whose namespace and name depend on the request needs the right to all of the kind",
    lookUps(
      '{name: c, configMap: {name: "{{ request.name }}", namespace: "{{ request.namespace }}"}}',
      '{name: d, apiCall: {urlPath: "/apis/apps/v1/namespaces/{{ request.namespace }}/deployments/{{ request.name }}"}}',
      '{name: e, apiCall: {urlPath: "/api/v1/namespaces/{{ request.namespace }}"}}',
    ),
    [
      'background {"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}',
      'background {"apiGroups":["apps"],"resources":["deployments"],"verbs":["get"]}',
      'background {"apiGroups":[""],"resources":["namespaces"],"verbs":["get"]}',
    ],
  ],
  [
    "no right can be named for a look-up whose kind depends on the request",
    lookUps('{name: d, apiCall: {urlPath: "/api/v1/{{ request.object.spec.kind }}"}}'),
    [],
  ],
];

function lookUps(...entries: readonly string[]): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [${entries.join(", ")}]
    validate: {deny: {}}
`;
}

for (const [what, policy, expected] of needing) {
  Deno.test(`status: the message lists the missing rules of roles: ${what}`, async () => {
    const rights = rightsOf(compiled(policy), served);
    const lines = (missing: readonly MissingRules[]) =>
      missing.flatMap(({ account, rules }) => rules.map((rule) => `${account} ${JSON.stringify(rule)}`));
    const missing = await missingRules(rights, () => Promise.resolve({ allowed: false, reason: "" }));
    assert.deepEqual(lines(missing).sort(), [...expected].sort());
    const granted = await missingRules(rights, () => Promise.resolve({ allowed: true, reason: "" }));
    assert.equal(missingRulesMessage(granted), "");
    assert.deepEqual(await missingRules(rights, () => Promise.resolve(undefined)), []);
    for (const line of expected) {
      const [account, rule] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
      assert.match(missingRulesMessage(missing), new RegExp(`aggregate-to-${account}-controller`));
      assert.ok(missingRulesMessage(missing).includes(rule));
    }
  });
}

const noRights = `rights are missing: add to a ClusterRole labelled ` +
  `rbac.kyverno.io/aggregate-to-cleanup-controller: "true" ` +
  `- {"apiGroups":[""],"resources":["pods"],"verbs":["delete","list"]}`;

const deletings: readonly (readonly [
  what: string,
  spec: string,
  granted: boolean,
  ready: boolean,
  message: string | RegExp,
])[] = [
  ["may delete", "", true, true, /^$/],
  ["lacks rights", "", false, false, noRights],
  ["has a broken condition", "conditions: [{name: a, expression: 'object.('}]", true, false, /Syntax error/],
  ["has no schedule", "schedule: never", true, false, /^spec.schedule: "never" is not a cron schedule/],
];
for (const [what, spec, granted, ready, message] of deletings) {
  for (const name of ["DeletingPolicy", "NamespacedDeletingPolicy"]) {
    Deno.test(`status: a ${name} that ${what} is ${ready ? "" : "not "}ready`, async () => {
      const isNamespaced = name.startsWith("Namespaced");
      const text = `
apiVersion: policies.kyverno.io/v1
kind: ${name}
metadata: {name: d${isNamespaced ? ", namespace: team" : ""}}
spec:
  ${/schedule/.test(spec) ? "" : 'schedule: "* * * * *"'}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  ${spec}
`;
      const object = parseDocuments(text, "p.yaml").documents[0]!.value as JsonObject;
      const reviewed: Json[] = [];
      let status: Json = null;
      const cluster: Cluster = {
        call({ path, body = null }) {
          if (!path.endsWith("subjectaccessreviews")) status = dig(body, "status", "conditionStatus") ?? null;
          else reviewed.push(dig(body, "spec", "resourceAttributes", "namespace") ?? "");
          return Promise.resolve({ ok: true, status: 200, body: { status: { allowed: granted } } });
        },
        resource: () => Promise.resolve(undefined),
      };
      await statusesIn(cluster).write([{
        kind: policyObjectKinds.find(({ kind }) => kind === name)!,
        object,
      }], {
        snapshot: compile([objectDocument(object)]),
        configured: true,
        generated: [],
        served,
      });
      assert.equal(dig(status, "ready"), ready);
      const found = String(dig(status, "message"));
      if (typeof message === "string") assert.equal(found, message);
      else assert.match(found, message);
      assert.deepEqual(reviewed, isNamespaced ? ["team", "team"] : ["", ""]);
    });
  }
}
