/** Simulations say what `apply`, `test` and the webhooks say, and why, as plain data. */
import assert from "node:assert/strict";
import { type InputOutcome, noTexts, simulation, type SimulationTexts } from "../../lib/simulation/mod.ts";

const requireTeam = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: require-team }
spec:
  validationFailureAction: Enforce
  rules:
  - name: team
    match: { any: [{ resources: { kinds: [Pod] } }] }
    validate: { message: name your team, pattern: { metadata: { labels: { team: "?*" } } } }
`;

const pod = (labels = "{}"): string =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: web, namespace: shop, labels: ${labels} }, spec: { containers: [] } }\n`;

async function first(texts: Partial<SimulationTexts>): Promise<InputOutcome> {
  const { diagnostics, outcome } = simulation({ ...noTexts, ...texts });
  assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
  const found = await outcome(0);
  assert.deepEqual(structuredClone(found), found, "plain data");
  return found;
}

Deno.test("a denied object has the rule, the path, the response, and kubectl's output", async () => {
  const { allowed, rules, response, kubectl, input } = await first({
    policies: requireTeam,
    resources: pod(),
  });
  assert.equal(allowed, false);
  assert.deepEqual(input, { kind: "Pod", namespace: "shop", name: "web", operation: "CREATE" });
  const [rule] = rules.filter(({ isForOtherController }) => !isForOtherController);
  assert.equal(rule?.outcome, "fail");
  assert.equal(rule.refuses, true);
  assert.equal(rule.position?.line, 8);
  const [step] = rule.steps.filter(({ kind }) => kind === "pattern");
  assert(step?.kind === "pattern");
  assert.deepEqual(step.pattern.steps, ["metadata", "labels", "team"]);
  assert.match(JSON.stringify(response), /"allowed":false/);
  assert.match(
    kubectl ?? "",
    /^Error from server: error when creating "resources.yaml": admission webhook "validate.postern.svc-fail" denied the request: \n\nresource Pod\/shop\/web was blocked/,
  );
});

Deno.test("for an admitted object kubectl prints that it was created", async () => {
  const { allowed, kubectl } = await first({ policies: requireTeam, resources: pod("{ team: a }") });
  assert.equal(allowed, true);
  assert.equal(kubectl, "pod/web created");
});

Deno.test("an AdmissionReview gets the webhooks' decision, with its user", async () => {
  const policies = requireTeam.replace(
    "    validate:",
    "    exclude: { any: [{ subjects: [{ kind: User, name: ann }] }] }\n    validate:",
  );
  const review = (username: string): string =>
    JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: "1",
        kind: { group: "", version: "v1", kind: "Pod" },
        resource: { group: "", version: "v1", resource: "pods" },
        namespace: "shop",
        name: "web",
        operation: "CREATE",
        userInfo: { username, groups: [] },
        object: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "web", namespace: "shop" },
          spec: { containers: [] },
        },
      },
    });
  assert.equal((await first({ policies, resources: review("bob") })).allowed, false);
  const ann = await first({ policies, resources: review("ann") });
  assert.equal(ann.allowed, true);
  assert(ann.rules.some(({ selection }) => selection?.exclude.some(({ holds }) => holds)));
});

Deno.test("a diagnostic gives the reason why a review cannot be read", async () => {
  const { allowed, kubectl } = await first({
    resources: "{ apiVersion: admission.k8s.io/v1, kind: AdmissionReview }",
  });
  assert.equal(allowed, false);
  assert.match(kubectl ?? "", /request is nil/);
});

const lookUp = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: limits }
spec:
  validationFailureAction: Enforce
  rules:
  - name: limit
    context:
    - name: limits
      configMap: { name: limits, namespace: shop }
    match: { any: [{ resources: { kinds: [Pod] } }] }
    validate:
      message: "{{ limits.data.most }} at most"
      deny: { conditions: { all: [{ key: "{{ length(request.object.spec.containers) }}", operator: LessThan, value: "{{ limits.data.most }}" }] } }
`;
const limits =
  `{ apiVersion: v1, kind: ConfigMap, metadata: { name: limits, namespace: shop }, data: { most: "5" } }`;

Deno.test("a simulation lists each look-up in the cluster with its answer", async () => {
  const { rules, lookups, kubectl } = await first({ policies: lookUp, resources: pod(), cluster: limits });
  assert.deepEqual(lookups.map(({ source, what }) => [source, what]), [
    ["cluster", "GET /api/v1/namespaces/shop/configmaps/limits"],
  ]);
  assert.match(JSON.stringify(lookups[0]?.answer), /"most":"5"/);
  const conditions = rules.flatMap(({ steps }) => steps).filter((step) => step.kind === "condition");
  assert.deepEqual(conditions.map(({ condition }) => [condition.key, condition.value]), [[0, "5"]]);
  assert.match(kubectl ?? "", /5 at most/);
});

Deno.test("without a cluster, given values replace loaded ones, as in tests of policies", async () => {
  const values =
    `{ apiVersion: cli.kyverno.io/v1alpha1, kind: Values, policies: [{ name: limits, rules: [{ name: limit, values: { limits.data.most: "7" } }] }] }`;
  const { lookups, kubectl } = await first({ policies: lookUp, resources: pod(), values });
  assert.deepEqual(lookups, []);
  assert.match(kubectl ?? "", /7 at most/);
});

const callService = lookUp.replace(
  "configMap: { name: limits, namespace: shop }",
  `apiCall: { method: GET, service: { url: "http://limits.example/v1" } }`,
);

Deno.test("a service returns the given answer, and no other service is called", async () => {
  const given =
    `apiCallResponses: [{ url: "http://limits.example/v1", method: GET, response: { statusCode: 200, body: { data: { most: 3 } } } }]`;
  const { lookups } = await first({ policies: callService, resources: pod(), answers: given });
  assert.deepEqual(lookups.map(({ source, failure }) => [source, failure]), [["service", undefined]]);
  const none = await first({ policies: callService, resources: pod(), cluster: limits });
  assert.match(none.lookups[0]?.failure ?? "", /no answer is given; write one under apiCallResponses/);
});

Deno.test("a simulation shows mutations, generated objects and changed targets", async () => {
  const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: namespaces }
spec:
  rules:
  - name: label
    match: { any: [{ resources: { kinds: [Namespace] } }] }
    mutate: { patchStrategicMerge: { metadata: { labels: { +(team): none } } } }
  - name: quota
    match: { any: [{ resources: { kinds: [Namespace] } }] }
    generate:
      apiVersion: v1
      kind: ConfigMap
      name: quota
      namespace: "{{ request.object.metadata.name }}"
      data: { data: { most: "5" } }
`;
  const resources = "{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }";
  const { patch, mutated, generated } = await first({ policies, resources });
  assert.deepEqual(patch, [{ op: "add", path: "/metadata/labels", value: { team: "none" } }]);
  assert.match(JSON.stringify(mutated), /"team":"none"/);
  assert.deepEqual(generated.map(({ kind }) => kind), ["ConfigMap"]);
});

Deno.test("policies about JSON evaluate any document, and list the paths that fail", async () => {
  const policies = `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: { name: test }
spec:
  rules:
  - name: small
    assert: { all: [{ check: { foo: { ~.bar: { "(@ < \`5\`)": true } } } }] }
`;
  const { rules, inputKind, kubectl } = await first({ policies, resources: "foo: { bar: [1, 7] }" });
  assert.equal(inputKind, "payload");
  assert.equal(kubectl, undefined);
  assert.deepEqual(rules.map(({ outcome }) => outcome), ["fail"]);
  assert.deepEqual(rules[0]?.violations.map(({ path, value }) => [path, value]), [[
    "foo.~.bar[1].(@ < `5`)",
    false,
  ]]);
});

Deno.test("mistakes are diagnostics with the name of their text, and the rest is simulated", async () => {
  const { diagnostics, outcome } = simulation({
    ...noTexts,
    policies: `${requireTeam}---\na: [b`,
    resources: `${pod()}---\n[1`,
    values: "- 1",
  });
  const files = diagnostics.filter(({ severity }) => severity === "error").map(({ position }) =>
    position?.file
  );
  assert.deepEqual([...new Set(files)].sort(), ["policies", "resources", "values"]);
  assert.equal((await outcome(0)).allowed, false);
});

Deno.test("outcomes start from the same cluster, and do not see each other's writes", async () => {
  const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: counts }
spec:
  rules:
  - name: once
    match: { any: [{ resources: { kinds: [Pod] } }] }
    context:
    - name: written
      apiCall:
        method: POST
        urlPath: /api/v1/namespaces/shop/configmaps
        data: [{ key: apiVersion, value: v1 }, { key: kind, value: ConfigMap }, { key: metadata, value: { name: mark } }]
    - name: marks
      apiCall: { urlPath: "/api/v1/namespaces/{{ written.metadata.namespace }}/configmaps", jmesPath: "items[].metadata.name" }
    validate:
      message: "{{ join(',', marks) }}"
      deny: { conditions: { any: [{ key: "{{ marks }}", operator: NotEquals, value: [given, mark] }] } }
`;
  const { inputs, outcome } = simulation({
    ...noTexts,
    policies,
    cluster: "{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }\n---\n" +
      "{ apiVersion: v1, kind: ConfigMap, metadata: { name: given, namespace: shop } }",
    resources: `${pod()}---\n${pod().replace("name: web", "name: other")}`,
  });
  assert.equal(inputs.length, 2);
  for (const index of [0, 1, 0]) {
    const { rules } = await outcome(index);
    assert.deepEqual(
      rules.filter(({ isForOtherController }) => !isForOtherController).map(({ outcome, results }) => [
        outcome,
        results[0]?.message,
      ]),
      [["pass", "validation rule 'once' passed."]],
    );
  }
});
