/**
 * Whoever may write policies in a namespace must not change objects outside it: background work has the rights of
 * Postern's service account, which the author of such a policy does not have.
 */
import assert from "node:assert/strict";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import { asObject, type JsonObject } from "../../lib/json/mod.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: team, uid: u-team}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: victim, uid: u-victim}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: team, uid: u-c}, data: {to: victim}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: victim, uid: u-other}, data: {a: "1"}}
`;

const classic = (body: string): string => `
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: p, namespace: team}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    ${body}
`;
const patch = 'patchStrategicMerge: {metadata: {labels: {changed: "yes"}}}';
const onConfigMaps =
  "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]}";
const inCel = (kind: string, spec: string): string => `
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: p, namespace: team}
spec:
  ${onConfigMaps}
  ${spec}
`;
const mutation =
  "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: Object.metadata.labels{changed: \"yes\"}}}'}}]";
const existing = "evaluation: {mutateExisting: {enabled: true}}";

const generated = (apiVersion: string, kind: string): string => `
  variables: [{name: made, expression: '[{"apiVersion": dyn("${apiVersion}"), "kind": dyn("${kind}"), "metadata": dyn({"name": "g", "namespace": "victim"})}]'}]
  generate: [{expression: generator.Apply(variables.made)}]`;

const attempts: readonly (readonly [what: string, policy: string])[] = [
  [
    "a target that is the policy's Namespace",
    classic(`mutate: {targets: [{apiVersion: v1, kind: Namespace, name: team}], ${patch}}`),
  ],
  [
    "a target that is another Namespace",
    classic(`mutate: {targets: [{apiVersion: v1, kind: Namespace, name: victim}], ${patch}}`),
  ],
  [
    "targets of a kind of the whole cluster",
    classic(`mutate: {targets: [{apiVersion: v1, kind: Namespace, name: "*"}], ${patch}}`),
  ],
  [
    "a patch that moves the target to another namespace",
    classic(`mutate: {targets: [{apiVersion: v1, kind: ConfigMap, name: c}],
      patchesJson6902: '[{"op": "replace", "path": "/metadata/namespace", "value": "victim"}]'}`),
  ],
  [
    "a patch that makes the target an object of the whole cluster",
    classic(`mutate: {targets: [{apiVersion: v1, kind: ConfigMap, name: c}],
      patchesJson6902: '[{"op": "replace", "path": "/kind", "value": "Namespace"}, {"op": "replace", "path": "/metadata/name", "value": "victim"}]'}`),
  ],
  [
    "target constraints about Namespaces",
    inCel(
      "NamespacedMutatingPolicy",
      `targetMatchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [namespaces]}]}
  ${existing}
  ${mutation}`,
    ),
  ],
  [
    "an expression that makes up its targets",
    inCel(
      "NamespacedMutatingPolicy",
      `targetMatchConstraints: {expression: '{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"), "metadata": dyn({"name": "c", "namespace": "victim"})}'}
  ${existing}
  ${mutation}`,
    ),
  ],
  [
    "a generated object in another namespace",
    classic(
      `generate: {apiVersion: v1, kind: ConfigMap, name: g, namespace: "{{ request.object.data.to }}", data: {}}`,
    ),
  ],
  [
    "a generated object with the metadata of another namespace",
    classic(
      `generate: {apiVersion: v1, kind: ConfigMap, name: g, namespace: team, data: {metadata: {namespace: victim}}}`,
    ),
  ],
  [
    "a generated object of the whole cluster",
    classic(`generate: {apiVersion: v1, kind: Namespace, name: g, namespace: team, data: {}}`),
  ],
  [
    "a generated object of a definition for the whole cluster",
    classic(
      `generate: {apiVersion: kyverno.io/v1, kind: ClusterPolicy, name: g, namespace: team, data: {spec: {}}}`,
    ),
  ],
  [
    "a generator for another namespace",
    inCel(
      "NamespacedGeneratingPolicy",
      generated("v1", "ConfigMap"),
    ),
  ],
  [
    "a generator of a definition for the whole cluster",
    inCel(
      "NamespacedGeneratingPolicy",
      generated("kyverno.io/v1", "ClusterPolicy"),
    ),
  ],
];

const definition = `
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusterpolicies.kyverno.io}
spec:
  group: kyverno.io
  scope: Cluster
  names: {kind: ClusterPolicy, plural: clusterpolicies}
  versions: [{name: v1, served: true}]
`;

/** The writes of background work for an update of a trigger. */
async function work(
  policy: string,
  stored: string,
  trigger: JsonObject,
): Promise<{ readonly writes: readonly string[] }> {
  const { cluster, ports } = portsWith(stored);
  const snapshot = policies(policy);
  const worker = new BackgroundWorker({
    snapshot: () => snapshot,
    ports,
    log: keptLog(),
    attempts: 2,
    wait: () => Promise.resolve(true),
  });
  worker.add(request(trigger, { operation: "UPDATE", oldObject: trigger }));
  await worker.drain();
  await worker.close();
  return cluster;
}

for (const [what, policy] of attempts) {
  Deno.test(`a namespaced policy changes nothing outside its namespace: ${what}`, async () => {
    const { cluster } = portsWith(objects);
    const trigger = asObject(await cluster.read("/api/v1/namespaces/team/configmaps/c"))!;
    const { writes } = await work(policy, objects + definition, trigger);
    const outside = writes.filter((write) => !/^\S+ \S+\/namespaces\/team\/[a-z]+/.test(write));
    assert.deepEqual(outside, []);
  });
}

const atHome: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", namespace: "default", uid: "u-home" },
};
const homeObjects = `${objects}---
{apiVersion: v1, kind: Namespace, metadata: {name: default, uid: u-default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default, uid: u-home}}
`;
const here = "PUT /api/v1/namespaces/default/configmaps/c";
const homes: readonly (readonly [where: string, metadata: string])[] = [
  ["in default", "{name: p, namespace: default}"],
  ["whose file names no namespace", "{name: p}"],
];
const targets: readonly (readonly [what: string, rule: string, writes: readonly string[]])[] = [
  ["names no namespace", `targets: [{apiVersion: v1, kind: ConfigMap, name: c}], ${patch}`, [here]],
  ["names an empty one", `targets: [{apiVersion: v1, kind: ConfigMap, namespace: "", name: c}], ${patch}`, [
    here,
  ]],
  ["names another one", `targets: [{apiVersion: v1, kind: ConfigMap, namespace: victim}], ${patch}`, [here]],
  ["is of the whole cluster", `targets: [{apiVersion: v1, kind: Namespace, name: victim}], ${patch}`, []],
  [
    "is moved to another one",
    `targets: [{apiVersion: v1, kind: ConfigMap, name: c}],
      patchesJson6902: '[{"op": "replace", "path": "/metadata/namespace", "value": "victim"}]'`,
    [],
  ],
  [
    "loses its namespace",
    `targets: [{apiVersion: v1, kind: ConfigMap, name: c}],
      patchesJson6902: '[{"op": "remove", "path": "/metadata/namespace"}]'`,
    [],
  ],
];
for (const [where, metadata] of homes) {
  for (const [what, rule, writes] of targets) {
    Deno.test(`a Policy ${where} changes targets in default alone, also when the target ${what}`, async () => {
      const policy = classic(`mutate: {${rule}}`).replace("{name: p, namespace: team}", metadata);
      assert.deepEqual((await work(policy, homeObjects, atHome)).writes, writes);
    });
  }
}
