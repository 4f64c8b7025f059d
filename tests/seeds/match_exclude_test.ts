/** Every example of the documentation of match and exclude. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { decide, object, policies, type RequestOptions, results } from "./decide.ts";

/** A policy whose rule denies whatever it matches. */
function matching(rule: string): ReturnType<typeof policies> {
  return policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: policy
spec:
  validationFailureAction: enforce
  background: false
  rules:
${rule.trim().replace(/^/gm, "  ")}
    validate:
      message: matched
      deny: {}
`);
}

type Case = readonly [name: string, subject: JsonObject, options: RequestOptions, matches: boolean];

function test(title: string, snapshot: ReturnType<typeof policies>, cases: readonly Case[]): void {
  for (const [name, subject, options, matches] of cases) {
    Deno.test(`${title}: ${name} ${matches ? "is" : "is not"} matched`, async () => {
      assert.equal((await results(snapshot, subject, options)).length, matches ? 1 : 0);
    });
  }
}

const admin: RequestOptions = { user: { username: "root", roles: [], clusterRoles: ["cluster-admin"] } };
const mary: RequestOptions = { user: { username: "mary@somecorp.com", roles: [], clusterRoles: [] } };
const john: RequestOptions = { user: { username: "John", roles: [], clusterRoles: [] } };
const nobody: RequestOptions = { user: { username: "somebody", roles: [], clusterRoles: [] } };

const pod = (namespace = "default", annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace, annotations },
});

const all = matching(`
- name: "check-pod-controller-labels"
  match:
    resources:
      kinds: # Required, list of kinds
      - Deployment
      - StatefulSet
      name: "mongo*"
      namespaces:
      - "dev*"
      - test
      selector:
        matchLabels:
          app: mongodb
        matchExpressions:
        - {key: tier, operator: In, values: [database]}
    subjects:
    - kind: User
      name: mary@somecorp.com
    roles:
    clusterroles: cluster-admin
`);

const controller = (
  change: { kind?: string; name?: string; namespace?: string; labels?: JsonObject } = {},
): JsonObject => {
  const {
    kind = "Deployment",
    name = "mongo-1",
    namespace = "dev-1",
    labels = { app: "mongodb", tier: "database" },
  } = change;
  return { apiVersion: "apps/v1", kind, metadata: { name, namespace, labels } };
};

test("the example of all filters", all, [
  ["a Deployment of mary", controller(), mary, true],
  ["a StatefulSet of mary", controller({ kind: "StatefulSet" }), mary, true],
  ["a DaemonSet", controller({ kind: "DaemonSet" }), mary, false],
  ["a Deployment of a cluster-admin", controller(), admin, true],
  ["a Deployment of anybody else", controller(), nobody, false],
  ["another name", controller({ name: "postgres" }), mary, false],
  ["the other namespace", controller({ namespace: "test" }), mary, true],
  ["a namespace that is none of both", controller({ namespace: "prod" }), mary, false],
  ["another label", controller({ labels: { app: "postgres", tier: "database" } }), mary, false],
  [
    "a label that no expression takes",
    controller({ labels: { app: "mongodb", tier: "cache" } }),
    mary,
    false,
  ],
]);

const exceptAdmin = `
  name: "match-pods-except-admin"
  match:
    resources:
      kinds:
      - Pod
  exclude:
    clusterroles: cluster-admin
`;

// The documentation leaves out the dash of the list, once.
for (
  const [form, snapshot] of [
    ["a list", matching(exceptAdmin.replace("  name", "- name"))],
    [
      "one rule without its list",
      policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: policy}
spec:
  validationFailureAction: enforce
  background: false
  rules:
${exceptAdmin.replace(/^/gm, "  ")}
    validate: {message: matched, deny: {}}
`),
    ],
  ] as const
) {
  test(`all pods but those of cluster-admins, as ${form}`, snapshot, [
    ["a Pod of somebody", pod(), nobody, true],
    ["a Pod of a cluster-admin", pod(), admin, false],
    ["another kind", { ...pod(), kind: "Service" }, nobody, false],
  ]);
}

const exceptNamespace = matching(`
- name: "match-pods-except-system"
  match:
    resources:
      kinds:
      - Pod
  exclude:
    namespaces:
    - "kube-system"
`);
test("all pods but those in kube-system", exceptNamespace, [
  ["a Pod in default", pod("default"), nobody, true],
  ["a Pod in kube-system", pod("kube-system"), nobody, false],
]);

const critical = matching(`
- name: match-critical-app
  match:
    resources:
      kinds:
      - Deployment,StatefulSet
      selector:
        matchLabels:
          app: critical
`);
const labelled = (kind: string, app: string): JsonObject => controller({ kind, labels: { app } });
test("Deployment,StatefulSet in one text", critical, [
  ["a critical Deployment", labelled("Deployment", "critical"), nobody, true],
  ["a critical StatefulSet", labelled("StatefulSet", "critical"), nobody, true],
  ["a Deployment with another label", labelled("Deployment", "other"), nobody, false],
  ["a critical DaemonSet", labelled("DaemonSet", "critical"), nobody, false],
]);

const criticals = matching(`
- name: match-criticals-except-given-rbac
  match:
    resources:
      selector:
        matchLabels:
          app: critical
  exclude:
    clusterRoles:
    - cluster-admin
    subjects:
    - kind: User
      name: John
`);
test("all resources with a label, but for a role or a user", criticals, [
  ["a critical Deployment", labelled("Deployment", "critical"), nobody, true],
  [
    "a critical object of any kind",
    { ...labelled("Gadget", "critical"), apiVersion: "example.com/v1" },
    nobody,
    true,
  ],
  ["an object with another label", labelled("Deployment", "other"), nobody, false],
  ["an object of a cluster-admin", labelled("Deployment", "critical"), admin, false],
  ["an object of John", labelled("Deployment", "critical"), john, false],
]);

const annotated = matching(`
- name: match-pod-annotations
  match:
    resources:
      annotations:
        imageregistry: "https://hub.docker.com/"
      kinds:
      - Pod
      name: "*"
`);
test("all pods with an annotation", annotated, [
  ["a Pod with the annotation", pod("default", { imageregistry: "https://hub.docker.com/" }), nobody, true],
  ["a Pod with another value", pod("default", { imageregistry: "https://example.com/" }), nobody, false],
  ["a Pod without", pod("default"), nobody, false],
]);

Deno.test("validationFailureAction audit lets a violation through and reports it", async () => {
  const audit = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: policy}
spec:
  validationFailureAction: audit
  rules:
  - name: rule
    match: {resources: {kinds: [Pod]}}
    validate: {message: matched, deny: {}}
`);
  assert.deepEqual(await results(audit, pod()), ["rule fail"]);
  assert.equal((await decide(audit, pod())).allowed, true);
});

const wildcards: [selector: string, labels: string, matches: boolean][] = [
  ['{"storage.k8s.io/*": "*"}', '{storage.k8s.io/class: "fast"}', true],
  ['{"storage.k8s.io/*": "*"}', "{other/class: fast}", false],
  ['{"*": "*"}', "{a: b}", true],
  ['{"*": "*"}', "{}", false],
  ["{app: web-?}", "{app: web-1}", true],
  ["{app: web-?}", "{app: web-10}", false],
];
for (const [selector, labels, matches] of wildcards) {
  Deno.test(`matchLabels ${selector} ${matches ? "selects" : "does not select"} ${labels}`, async () => {
    const snapshot = matching(`
- name: wildcards
  match: {resources: {kinds: [ConfigMap], selector: {matchLabels: ${selector}}}}
`);
    const subject = object(
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: d, labels: ${labels}}}`,
    );
    assert.equal((await results(snapshot, subject)).length, matches ? 1 : 0);
  });
}
