/** The targets of policies in CEL that change existing objects: custom kinds, subresources, wildcards. */
import assert from "node:assert/strict";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";

const objects = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: oxen.farm.io}
spec:
  group: farm.io
  scope: Namespaced
  names: {kind: Ox, plural: oxen}
  versions: [{name: v1, served: true, subresources: {status: {}}}]
---
{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {stage: live}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: blue}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: team}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: blue}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: team}, spec: {replicas: 1}}
---
{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: web, namespace: team}, spec: {maxReplicas: 3}}
---
{apiVersion: farm.io/v1, kind: Ox, metadata: {name: bruno, namespace: team}, spec: {legs: 4}}
`;
const trigger: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", namespace: "team", uid: "u-c" },
};
const mutation =
  'mutations: [{patchType: JSONPatch, jsonPatch: {expression: \'[JSONPatch{op: "add", path: "/metadata/labels", value: {"seen": "yes"}}]\'}}]';

function resources(text: string, apiGroup = "", version = "v1"): string {
  return `resourceRules: [{apiGroups: ["${apiGroup}"], apiVersions: ["${version}"], operations: [UPDATE], resources: ${text}}]`;
}

function policy(kind: string, constraints: string): string {
  return `
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: p, namespace: team}
spec:
  matchConstraints: {${resources("[configmaps]").replace("UPDATE", "CREATE")}}
  evaluation: {mutateExisting: {enabled: true}}
  targetMatchConstraints: {${kind === "MutatingPolicy" ? constraints : constraints.replace('"team", ', "")}}
  ${mutation}
`;
}

/** The writes of a policy with target constraints, and its errors. */
async function work(kind: string, constraints: string): Promise<readonly string[]> {
  const { cluster, ports } = portsWith(objects);
  const writes: string[] = [];
  cluster.interfere = (call: ApiCall): Answer | undefined => {
    if (call.method === "GET") return undefined;
    writes.push(`${call.method} ${call.path.replace(/^.*namespaces\//, "")} ${dig(call.body, "kind")}`);
    return { ok: true, status: 200, body: call.body ?? null };
  };
  const snapshot = policies(policy(kind, constraints));
  const log = keptLog();
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log, attempts: 1 });
  worker.add(request(trigger));
  await worker.drain();
  await worker.close();
  return [...writes.sort(), ...log.lines.filter((line) => line.startsWith("error"))];
}

const web = ["PUT blue/pods/web Pod", "PUT team/pods/web Pod"];
const part = (name: string): string[] => web.map((write) => write.replace("web", `web/${name}`));
const pod = 'expression: \'resource.Get("v1", "pods", "team", "web")\'';
const cases: readonly (readonly [title: string, constraints: string, writes: readonly string[]])[] = [
  ["a kind", resources("[pods]"), web],
  ["a subresource", resources("[pods/status]"), part("status")],
  ["an object and its subresource", resources("[pods, pods/status]"), [
    "PUT blue/pods/web Pod",
    "PUT blue/pods/web/status Pod",
    "PUT team/pods/web Pod",
    "PUT team/pods/web/status Pod",
  ]],
  ["one resource in two rules", `${resources("[pods]").slice(0, -1)}, ${resources("[pods]").slice(16)}`, web],
  ["a subresource with another kind, which gets the whole object", resources("[deployments/scale]", "apps"), [
    "PUT team/deployments/web/scale Deployment",
  ]],
  [
    "a subresource in namespaces with labels",
    `${resources("[pods/resize]")}, namespaceSelector: {matchLabels: {stage: live}}`,
    [
      "PUT team/pods/web/resize Pod",
    ],
  ],
  [
    "a subresource without some objects",
    `${
      resources("[pods/status]")
    }, excludeResourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: ["pods/*"], resourceNames: [web]}]`,
    [],
  ],
  ["another version than the newest", resources("[horizontalpodautoscalers]", "autoscaling"), [
    "PUT team/horizontalpodautoscalers/web HorizontalPodAutoscaler",
  ]],
  ["a custom kind", resources("[oxen]", "farm.io"), ["PUT team/oxen/bruno Ox"]],
  ["a subresource of a custom kind", resources("[oxen/status]", "farm.io"), [
    "PUT team/oxen/bruno/status Ox",
  ]],
  ["a custom kind that is not served", resources("[cows]", "farm.io"), []],
  ["a group that is not served", resources("[cows]", "cows.io"), []],
  // Kyverno looks up the resource of a rule as it is written, so wildcards find none.
  ["every resource", resources('["*"]'), []],
  ["every resource and subresource", resources('["*/*"]'), []],
  ["one subresource of every resource", resources('["*/status"]'), []],
  ["every group", resources("[deployments]", "*"), []],
  ["every version", resources("[pods]", "", "*"), []],
  // Kyverno writes to `/pods/web/*`, and takes the answer for a missing object.
  ["every subresource of a kind", resources('["pods/*"]'), []],
  ["resources of any group when its name is empty", resources("[deployments]"), [
    "PUT team/deployments/web Deployment",
  ]],
  ["an expression", pod, ["PUT team/pods/web Pod"]],
  ["an expression and a subresource", `${pod}, ${resources("[pods/resize]")}`, [
    "PUT team/pods/web/resize Pod",
  ]],
  ["an expression and a subresource of every resource", `${pod}, ${resources('["*/resize"]', "*", "*")}`, [
    "PUT team/pods/web/resize Pod",
  ]],
  ["an expression and every subresource", `${pod}, ${resources('["pods/*"]')}`, []],
  ["an expression and resources, the first of which counts", `${pod}, ${resources("[pods, pods/resize]")}`, [
    "PUT team/pods/web Pod",
  ]],
  ["an expression and another resource", `${pod}, ${resources("[secrets/status]")}`, [
    "PUT team/pods/web Pod",
  ]],
  [
    "an expression about a custom kind and its subresource",
    `expression: 'resource.Get("farm.io/v1", "oxen", "team", "bruno")', ${
      resources("[oxen/status]", "farm.io")
    }`,
    ["PUT team/oxen/bruno/status Ox"],
  ],
];
for (const [title, constraints, writes] of cases) {
  for (const kind of ["MutatingPolicy", "NamespacedMutatingPolicy"]) {
    Deno.test(`a ${kind} changes targets by ${title}`, async () => {
      const expected = kind === "MutatingPolicy"
        ? writes
        : writes.filter((write) => !write.includes("blue/"));
      assert.deepEqual(await work(kind, constraints), expected);
    });
  }
}

Deno.test("targets are selected by the labels of several hundred namespaces", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `n-${index}`);
  const { cluster, ports } = portsWith(
    names.flatMap((name) => [
      `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {stage: live}}}`,
      `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: ${name}}}`,
    ]).join("\n---\n"),
  );
  const constraints = `${resources("[pods]")}, namespaceSelector: {matchLabels: {stage: live}}`;
  const snapshot = policies(policy("MutatingPolicy", constraints));
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log: keptLog(), attempts: 1 });
  worker.add(request(trigger));
  await worker.drain();
  await worker.close();
  assert.equal(cluster.writes.length, 300);
});

const many = `[${Array.from({ length: 301 }, (_, index) => `r${index}`)}]`;
const notes: readonly (readonly [constraints: string, notes: readonly string[]])[] = [
  [resources("[pods, pods/status]"), []],
  [resources('["*", pods]', "apps", "v1"), ["warning apps/v1/* finds no targets, as in Kyverno"]],
  [resources('["pods/*"]'), ["warning v1/pods/* finds no targets, as in Kyverno"]],
  [resources("[pods]", "*"), ["warning */v1/pods finds no targets, as in Kyverno"]],
  [resources("[../pods]"), ["warning v1/../pods finds no targets, as in Kyverno"]],
  [resources(many), ["error More than 300 groups, versions and resources of targets"]],
  [`${pod}, ${resources('["*/resize"]')}`, []],
  [`${pod}, ${resources('["pods/*"]')}`, [
    "warning The subresource * of targets is none: nothing is changed, as in Kyverno",
  ]],
];
for (const [constraints, expected] of notes) {
  Deno.test(`loading a policy says which targets it does not find: ${constraints.slice(0, 150)}`, () => {
    const { diagnostics } = policies(policy("MutatingPolicy", constraints));
    assert.deepEqual(diagnostics.map(({ severity, message }) => `${severity} ${message}`), expected);
  });
}

Deno.test("a policy whose expression for targets does not compile is reported, and changes nothing", async () => {
  const broken = "expression: unknown";
  const { diagnostics } = policies(policy("MutatingPolicy", broken));
  assert.deepEqual(diagnostics.map(({ severity, code }) => `${severity} ${code}`), ["error bad-cel"]);
  assert.deepEqual(await work("MutatingPolicy", `${broken}, ${resources("[pods]")}`), [
    "error effects given up",
  ]);
});

const whole = "get,list,patch,update", changed = "get,patch,update";
const rights: readonly (readonly [constraints: string, needs: readonly string[]])[] = [
  [resources("[pods]"), [` pods ${whole}`]],
  [resources("[pods/resize]"), [" pods get,list", ` pods/resize ${changed}`]],
  [resources("[deployments]"), [`apps deployments ${whole}`]],
  [resources("[oxen/status]", "farm.io"), ["farm.io oxen get,list", `farm.io oxen/status ${changed}`]],
  [`${pod}, ${resources("[pods/resize]")}`, [" pods get", " pods get,list", ` pods/resize ${changed}`]],
];
for (const [constraints, expected] of rights) {
  Deno.test(`a policy needs rights to its targets: ${constraints}`, () => {
    const { policies: compiled } = policies(policy("MutatingPolicy", constraints));
    const needs = compiled.flatMap(({ rules }) =>
      rules.filter(({ type }) => type === "mutateExisting").flatMap(({ needs }) => needs)
    );
    assert.deepEqual(
      needs.flatMap((need) =>
        need.kind === "resource" ? [`${need.group} ${need.resource} ${need.verbs}`] : []
      ),
      expected,
    );
  });
}
