/** Every example of the documentation of variables. */
import assert from "node:assert/strict";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { decide, messages, mutated, object, policies, type RequestOptions, results } from "./decide.ts";

const pod = object(`
apiVersion: v1
kind: Pod
metadata: {name: busybox, namespace: default, labels: {run: busybox}}
spec: {containers: [{name: busybox, image: "busybox:1.28"}]}
`);

/** The value of an expression in a rule's body: what a mutation writes into an annotation. */
async function valueOf(
  expression: string,
  subject: JsonObject = pod,
  options?: RequestOptions,
): Promise<Json | undefined> {
  const written = JSON.stringify(`{{ ${expression} }}`);
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: writes}
spec:
  background: false
  rules:
  - name: value
    match: {resources: {kinds: ["*"]}}
    mutate: {patchStrategicMerge: {result: ${written}}}
`);
  return dig(await mutated(snapshot, subject, options), "result");
}

const asUser1 = { user: { username: "system:serviceaccount:nirmata:user1" } };

const values: [expression: string, value: Json, options?: RequestOptions][] = [
  ["serviceAccountName", "user1", asUser1],
  ["serviceAccountNamespace", "nirmata", asUser1],
  ["request.roles", ["foo:dave"], { user: { roles: ["foo:dave"], clusterRoles: [] } }],
  [
    "request.clusterRoles",
    ["dave-admin", "system:basic-user", "system:discovery", "system:public-info-viewer"],
    {
      user: {
        roles: [],
        clusterRoles: ["dave-admin", "system:basic-user", "system:discovery", "system:public-info-viewer"],
      },
    },
  ],
  ["request.operation", "CREATE"],
  ["request.object.metadata.name", "busybox"],
  ["request.object.metadata", { name: "busybox", namespace: "default", labels: { run: "busybox" } }],
  ["request.userInfo.username", "kubernetes-admin"],
  ["request.userInfo.groups", ["system:authenticated"]],
];
for (const [expression, value, options] of values) {
  Deno.test(`variables: {{ ${expression} }} is ${JSON.stringify(value)}`, async () => {
    assert.deepEqual(await valueOf(expression, pod, options), value);
  });
}

const binding = (kind: string, name: string, role: string, namespace?: string): JsonObject =>
  object(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}${namespace === undefined ? "" : `, namespace: ${namespace}`}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${role.split("/")[0]}, name: ${role.split("/")[1]}}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: dave}]
`);

Deno.test("variables: roles are those that the cluster binds to the user", async () => {
  const cluster = [
    binding("RoleBinding", "daves", "Role/dave", "default"),
    binding("RoleBinding", "elsewhere", "Role/other", "foo"),
    binding("ClusterRoleBinding", "admins", "ClusterRole/dave-admin"),
  ];
  const options = { user: { username: "dave" }, cluster };
  const roles = await valueOf("request.roles", pod, options) as string[];
  assert.ok(roles.includes("default:dave"), JSON.stringify(roles));
  const clusterRoles = await valueOf("request.clusterRoles", pod, options) as string[];
  assert.ok(clusterRoles.includes("dave-admin"), JSON.stringify(clusterRoles));
});

Deno.test("variables: request.object is null for DELETE, request.oldObject for CREATE and CONNECT", async () => {
  const rule = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: objects}
spec:
  validationFailureAction: enforce
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [Pod], operations: [CREATE, UPDATE, DELETE, CONNECT]}}
    validate:
      allowExistingViolations: false
      message: "{{ request.operation }}: {{ request.oldObject.metadata.name || 'no old object' }}"
      deny: {}
`);
  assert.deepEqual(await messages(rule, pod), ["CREATE: no old object"]);
  assert.deepEqual(await messages(rule, pod, { operation: "UPDATE" }), ["UPDATE: busybox"]);
  assert.deepEqual(await messages(rule, pod, { operation: "DELETE" }), ["DELETE: busybox"]);
  assert.deepEqual(await messages(rule, pod, { operation: "CONNECT" }), ["CONNECT: no old object"]);
});

Deno.test("variables: a text may be put together of several", async () => {
  const subject = object("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}");
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: names}
spec:
  background: false
  rules:
  - name: names
    match: {resources: {kinds: [ConfigMap]}}
    mutate:
      patchStrategicMerge:
        metadata: {labels: {full: "{{ request.namespace }}-{{ request.object.metadata.name }}"}}
`);
  assert.equal(dig(await mutated(snapshot, subject), "metadata", "labels", "full"), "shop-settings");
});

const unresolved: [where: string, body: string, result: string][] = [
  [
    "a precondition",
    `preconditions: {all: [{key: "{{ request.object.metadata.labels.none }}", operator: Equals, value: ""}]}
    validate: {message: refused, deny: {}}`,
    "fail",
  ],
  [
    "a deny condition",
    `validate: {message: refused, deny: {conditions: {all: [{key: "{{ request.object.metadata.labels.none }}", operator: Equals, value: ""}]}}}`,
    "fail",
  ],
  [
    "the value of a condition",
    `validate: {message: refused, deny: {conditions: [{key: "", operator: Equals, value: "{{ request.object.metadata.labels.none }}"}]}}`,
    "fail",
  ],
  [
    "a condition that wants another value",
    `preconditions: [{key: "{{ request.object.metadata.labels.none }}", operator: Equals, value: a}]
    validate: {message: refused, deny: {}}`,
    "skip",
  ],
  [
    "a pattern, where it is no empty text",
    `validate: {message: refused, pattern: {metadata: {name: "{{ request.object.metadata.labels.none }}"}}}`,
    "error",
  ],
];
for (const [where, body, result] of unresolved) {
  Deno.test(`variables: one without a value in ${where}`, async () => {
    const rule = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: unresolved}
spec:
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [Pod]}}
    ${body}
`);
    assert.deepEqual(await results(rule, pod), [`rule ${result}`]);
  });
}

const checkTcpSocket = (port: string) =>
  policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: probes
spec:
  validationFailureAction: enforce
  rules:
  - name: check-tcpSocket
    match:
      resources:
        kinds:
        - Pod
    validate:
      message: "Port number for the livenessProbe must be less than that of the readinessProbe."
      pattern:
        spec:
          ^(containers):
          - livenessProbe:
              tcpSocket:
                port: "${port}"
            readinessProbe:
              tcpSocket:
                port: "3000"
`);

const probed = (
  ...ports: (readonly [liveness: number | string, readiness: number | string])[]
): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "probed", namespace: "default" },
  spec: {
    containers: ports.map(([liveness, readiness], index) => ({
      name: `c${index}`,
      livenessProbe: { tcpSocket: { port: liveness } },
      readinessProbe: { tcpSocket: { port: readiness } },
    })),
  },
});

const same = checkTcpSocket("$(./../../../readinessProbe/tcpSocket/port)");
const less = checkTcpSocket("$(<./../../../readinessProbe/tcpSocket/port)");
const probes: [name: string, snapshot: typeof same, subject: JsonObject, result: string][] = [
  ["the same port as the readinessProbe", same, probed([3000, 3000]), "pass"],
  ["another port than the readinessProbe", same, probed([8080, 3000]), "fail"],
  ["a readinessProbe with another port than is asked for", same, probed([8080, 8080]), "fail"],
  ["ports that are texts", same, probed(["3000", "3000"]), "pass"],
  ["one container of several", same, probed([8080, 3000], [3000, 3000]), "pass"],
  ["a smaller port, where it must be less", less, probed([2999, 3000]), "pass"],
  ["the same port, where it must be less", less, probed([3000, 3000]), "fail"],
  ["a larger port, where it must be less", less, probed([3001, 3000]), "fail"],
];
for (const [name, snapshot, subject, result] of probes) {
  Deno.test(`variables from policy definitions: a livenessProbe with ${name} ${result === "pass" ? "passes" : "fails"}`, async () => {
    assert.deepEqual(await results(snapshot, subject), [`check-tcpSocket ${result}`]);
  });
}

Deno.test("variables: who-created-this labels a Pod with its creator", async () => {
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: who-created-this
spec:
  background: false
  rules:
  - name: who-created-this
    match:
      resources:
        kinds:
        - Pod
    mutate:
      patchStrategicMerge:
        metadata:
          labels:
            created-by: "{{request.userInfo.username}}"
`);
  const labels = dig(await mutated(snapshot, pod), "metadata", "labels");
  assert.deepEqual(labels, { "created-by": "kubernetes-admin", run: "busybox" });
});

const withImages = object(`
apiVersion: v1
kind: Pod
metadata: {name: shop, namespace: default}
spec:
  containers:
  - {name: tomcat, image: "https.example.com/tomcat:9"}
  - {name: pinned, image: "registry.example.com:5000/team/app@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
  - {name: bare, image: nginx}
  initContainers:
  - {name: vault, image: "vault:v3"}
`);

const images: [expression: string, value: Json][] = [
  ["images.containers.tomcat.registry", "https.example.com"],
  ["images.containers.tomcat.name", "tomcat"],
  ["images.containers.tomcat.tag", "9"],
  [
    "images.containers.pinned.digest",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ],
  ["images.initContainers.vault.registry", "docker.io"],
  ["images.initContainers.vault.name", "vault"],
  ["images.initContainers.vault.tag", "v3"],
  ["images.containers.bare.registry", "docker.io"],
  ["images.containers.bare.tag", "latest"],
];
for (const [expression, value] of images) {
  Deno.test(`variables from images: {{ ${expression} }} is ${value}`, async () => {
    assert.equal(await valueOf(expression, withImages), value);
  });
}

Deno.test("variables from images: {{ images.containers.*.name }} lists all names", async () => {
  const names = await valueOf("images.containers.*.name", withImages) as string[];
  assert.deepEqual([...names].sort(), ["app", "nginx", "tomcat"]);
});

const resourceAnnotater = policies(
  `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: resource-annotater
spec:
  background: false
  rules:
  - name: add-resource-annotations
    context:
    - name: LabelsCM
      configMap:
        name: resource-annotater-reference
        namespace: default
    match:
      resources:
        kinds:
        - Pod
    mutate:
      overlay:
        metadata:
          annotations:
            foo: "{{LabelsCM.data.{{ request.object.metadata.labels.app }}}}"
`,
  ["warning deprecated-field"],
);

Deno.test("nested lookups: the inner expression is replaced before the outer one is built", async () => {
  const cluster = [
    object(`
apiVersion: v1
kind: ConfigMap
metadata: {name: resource-annotater-reference, namespace: default}
data: {shop: "the shop's note", other: no}
`),
  ];
  const subject = object(
    "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, labels: {app: shop}}}",
  );
  const after = await mutated(resourceAnnotater, subject, { cluster });
  assert.deepEqual(dig(after, "metadata", "annotations"), { foo: "the shop's note" });
});

/** A rule that passes when the context entries give what the precondition wants. */
const ordered = (entries: string) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: order}
spec:
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [Pod]}}
    context:
${entries.replace(/^/gm, "    ")}
    preconditions: {all: [{key: "{{ second }}", operator: Equals, value: busybox-2}]}
    validate: {message: refused, deny: {}}
`;
const first = `- {name: first, variable: {jmesPath: request.object.metadata.name}}`;
const second = `- {name: second, variable: {value: "{{ first }}-2"}}`;

Deno.test("evaluation order: request data in the context, an entry in a later one, entries in preconditions", async () => {
  assert.deepEqual(await results(policies(ordered(`${first}\n${second}`)), pod), ["rule fail"]);
});

Deno.test("evaluation order: an entry cannot use a later one", async () => {
  const snapshot = policies(ordered(`${second}\n${first}`), ["error declared-later"]);
  assert.deepEqual(await results(snapshot, pod), ["rule error"]);
});

const functions: [expression: string, value: Json][] = [
  ["contains('abc', 'b')", true],
  ["equal_fold('ABC', 'abc')", true],
  ["replace('a-a-a', '-', '_', `1`)", "a_a-a"],
  ["replace_all('a-a-a', '-', '_')", "a_a_a"],
  ["to_upper('abc')", "ABC"],
  ["to_lower('ABC')", "abc"],
  ["trim('--abc--', '-')", "abc"],
  ["split('a,b', ',')", ["a", "b"]],
  ["regex_replace_all('([a-z])([0-9])', 'a1b2', '$2$1')", "1a2b"],
  ["regex_replace_all('[0-9]', `12`, `7`)", "77"],
  ["regex_replace_all_literal('[0-9]', 'a1', '$0')", "a$0"],
  ["regex_match('^[0-9]+$', `123`)", true],
  ['label_match(`{"app": "web"}`, `{"app": "web", "tier": "front"}`)', true],
  ['label_match(`{"app": "web"}`, `{"app": "db"}`)', false],
  ["compare('a', 'a')", 0],
  ["compare('a', 'b')", -1],
];
for (const [expression, value] of functions) {
  Deno.test(`functions: ${expression} is ${JSON.stringify(value)}`, async () => {
    assert.deepEqual(await valueOf(expression), value);
  });
}

Deno.test("functions: label_match takes labels of the object", async () => {
  const subject = object(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {metadata: {labels: {app: web, tier: front}}}}
`);
  const expression = 'label_match(`{"app": "web"}`, request.object.spec.template.metadata.labels)';
  assert.equal(await valueOf(expression, subject), true);
});

Deno.test("functions: label_match takes labels of the object as text between backticks", async () => {
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: selectors}
spec:
  background: false
  rules:
  - name: selects-its-pods
    match: {resources: {kinds: [Deployment]}}
    validate:
      message: the selector does not select the pods
      deny:
        conditions:
        - key: "{{ label_match(\`{{request.object.spec.selector.matchLabels}}\`, \`{{request.object.spec.template.metadata.labels}}\`) }}"
          operator: Equals
          value: false
`);
  for (const [app, result] of [["web", "pass"], ["db", "fail"]]) {
    const subject = object(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: ${app}, tier: front}}}}
`);
    assert.deepEqual(await results(snapshot, subject), [`selects-its-pods ${result}`]);
  }
});

Deno.test("{{@}} is the current value of the field", async () => {
  const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: registry}
spec:
  background: false
  rules:
  - name: prepend
    match: {resources: {kinds: [Pod]}}
    mutate:
      patchStrategicMerge:
        spec:
          containers:
          - (name): "*"
            image: "registry.example.com/{{@}}"
`);
  const [container] = dig(await mutated(snapshot, pod), "spec", "containers") as JsonObject[];
  assert.equal(container!["image"], "registry.example.com/busybox:1.28");
});

Deno.test("variables are not supported in match and exclude", async () => {
  const snapshot = policies(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: dynamic}
spec:
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [Pod], name: "{{ request.object.metadata.name }}"}}
    validate: {message: refused, deny: {}}
`,
    ["error variable-in-match"],
  );
  assert.deepEqual((await decide(snapshot, pod)).results.flatMap(({ rules }) => rules), []);
});

Deno.test("variables are not supported in the path of a JSON patch", async () => {
  const snapshot = policies(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: dynamic}
spec:
  background: false
  rules:
  - name: rule
    match: {resources: {kinds: [Pod]}}
    mutate:
      patchesJson6902: |-
        - {op: add, path: "/metadata/annotations/{{request.object.metadata.name}}", value: a}
`,
    ["error variable-in-path"],
  );
  assert.deepEqual(await results(snapshot, pod, { phase: "mutate" }), ["rule error"]);
});
