/** The kinds and operations of a policy are the rules of its webhook. */
import assert from "node:assert/strict";
import { asList, asObject, field, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { all, celPolicy, configurations, policy } from "./webhook_configurations.ts";

const tables: readonly (readonly [
  what: string,
  policies: string,
  phase: "validate" | "mutate",
  rules: readonly Json[],
])[] = [
  [
    "a rule about Pods names the subresource of debug containers",
    policy({ match: "match: {any: [{resources: {kinds: [Pod]}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: all,
        resources: ["pods", "pods/ephemeralcontainers"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "a rule about every kind names the subresource of debug containers",
    policy({ match: "match: {any: [{resources: {kinds: ['*']}}]}" }),
    "validate",
    [
      {
        apiGroups: ["*"],
        apiVersions: ["*"],
        operations: all,
        resources: ["*", "pods/ephemeralcontainers"],
        scope: "*",
      },
    ],
  ],
  [
    "everything and its subresources",
    policy({ match: "match: {any: [{resources: {kinds: ['*/*']}}]}" }),
    "validate",
    [
      { apiGroups: ["*"], apiVersions: ["*"], operations: all, resources: ["*/*"], scope: "*" },
    ],
  ],
  [
    "a Policy about every kind is about namespaced ones",
    policy({ kind: "Policy", match: "match: {any: [{resources: {kinds: ['*']}}]}" }),
    "validate",
    [
      {
        apiGroups: ["*"],
        apiVersions: ["*"],
        operations: all,
        resources: ["*", "pods/ephemeralcontainers"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "cluster-wide kinds have any scope",
    policy({ match: "match: {any: [{resources: {kinds: [Namespace]}}]}" }),
    "validate",
    [
      { apiGroups: [""], apiVersions: ["v1"], operations: all, resources: ["namespaces"], scope: "*" },
    ],
  ],
  [
    "resources of one group and version share a rule",
    policy({ match: "match: {any: [{resources: {kinds: [Secret, ConfigMap, Deployment]}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: all,
        resources: ["configmaps", "secrets"],
        scope: "Namespaced",
      },
      {
        apiGroups: ["apps"],
        apiVersions: ["v1"],
        operations: all,
        resources: ["deployments"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "operations are those of the match",
    policy({ match: "match: {any: [{resources: {kinds: [Secret], operations: [UPDATE, CREATE]}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "exclude removes operations",
    policy({
      match:
        "match: {any: [{resources: {kinds: [Secret]}}]}\n    exclude: {any: [{resources: {operations: [DELETE, CONNECT]}}]}",
    }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "mutations get creations and updates",
    policy({
      match: "match: {any: [{resources: {kinds: [Secret]}}]}",
      body: "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}",
    }),
    "mutate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
  [
    "subresources are those that the cluster serves",
    policy({ match: "match: {any: [{resources: {kinds: [Pod/exec, '*/scale']}}]}" }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: all,
        resources: ["pods/exec"],
        scope: "Namespaced",
      },
      { apiGroups: ["*"], apiVersions: ["*"], operations: all, resources: ["*/scale"], scope: "*" },
    ],
  ],
  [
    "of several versions the webhook gets each",
    policy({ match: "match: {any: [{resources: {kinds: [Scaler]}}]}" }),
    "validate",
    ["v1", "v2"].map((version) => ({
      apiGroups: ["autoscaling"],
      apiVersions: [version],
      operations: all,
      resources: ["scalers"],
      scope: "Namespaced",
    })),
  ],
  [
    "webhooks get changes of synchronized objects",
    policy({
      match: "match: {any: [{resources: {kinds: [Namespace], operations: [CREATE]}}]}",
      body: "generate: {apiVersion: v1, kind: Secret, name: s, namespace: team, synchronize: true, data: {}}",
    }),
    "validate",
    [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["namespaces"],
        scope: "*",
      },
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE", "DELETE", "UPDATE"],
        resources: ["secrets"],
        scope: "Namespaced",
      },
    ],
  ],
];
for (const [what, policies, phase, rules] of tables) {
  Deno.test(`webhooks: ${what}`, () => {
    const [webhook] = asList(field(configurations(policies)[phase], "webhooks"));
    assert.deepEqual(field(webhook, "rules"), rules);
  });
}

Deno.test("webhooks: a kind that the cluster does not serve has no webhook", () => {
  const { validate, mutate } = configurations(
    policy({ match: "match: {any: [{resources: {kinds: [Unknown]}}]}" }),
  );
  assert.deepEqual([field(validate, "webhooks"), field(mutate, "webhooks")], [[], []]);
});

const expectedTables: readonly (readonly [kind: string, rule: JsonObject | undefined])[] = [
  ["example.com/v1/Widget", { apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["widgets"] }],
  ["example.com/*/Widget", { apiGroups: ["example.com"], apiVersions: ["*"], resources: ["widgets"] }],
  ["example.com/v1/Widget/scale", {
    apiGroups: ["example.com"],
    apiVersions: ["v1"],
    resources: ["widgets/scale"],
  }],
  ["*/v1/Widget", undefined],
  ["example.com/v1/W*", undefined],
];
for (const [kind, rule] of expectedTables) {
  Deno.test(`webhooks: ${kind} has ${rule ? "the usual" : "no"} resource before its definition comes`, () => {
    const { validate } = configurations(
      policy({ match: `match: {any: [{resources: {kinds: ['${kind}']}}]}` }),
    );
    const [webhook] = asList(field(validate, "webhooks")), [found] = asList(field(webhook, "rules"));
    const { operations: _operations, scope, ...rest } = asObject(found) ?? {};
    assert.deepEqual(rest, rule ?? {});
    assert.equal(scope, rule && "*");
  });
}

Deno.test("webhooks: a rule that a wider one covers is left out", () => {
  const wide = policy({ name: "wide", match: "match: {any: [{resources: {kinds: ['*']}}]}" });
  const narrow = policy({ name: "narrow", match: "match: {any: [{resources: {kinds: [Secret]}}]}" });
  const [webhook] = asList(field(configurations(`${wide}---${narrow}`).validate, "webhooks"));
  assert.equal(asList(field(webhook, "rules")).length, 1);
});

Deno.test("webhooks: the rules of a CEL policy are copied unchanged", () => {
  const [webhook] = asList(field(configurations(celPolicy("p", [])).validate, "webhooks"));
  assert.deepEqual(asList(field(webhook, "rules")).map((each) => field(each, "resources")), [
    ["pods"],
    ["daemonsets", "deployments", "replicasets", "statefulsets"],
    ["cronjobs"],
    ["jobs"],
  ]);
});

Deno.test("webhooks: a rule about every namespaced kind is left out beside one about every kind", () => {
  const match = "match: {any: [{resources: {kinds: ['*']}}]}";
  const text = [policy({ match }), policy({ kind: "Policy", name: "q", match })].join("---");
  const [webhook] = asList(field(configurations(text).validate, "webhooks"));
  assert.deepEqual(asList(field(webhook, "rules")).map((each) => field(each, "scope")), ["*"]);
});
