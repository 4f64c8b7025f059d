/** ValidatingPolicies: validations, conditions, constraints, exceptions. */
import assert from "node:assert/strict";
import { compile } from "../../../lib/engine/mod.ts";
import type { JsonObject } from "../../../lib/json/mod.ts";
import { admissionResponse } from "../../../lib/report/mod.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";
import { decide, deployment, resultLines } from "./decide.ts";
import { named, pod, written } from "./written_policies.ts";

Deno.test("ValidatingPolicy: the first validation that does not hold gives its message", async () => {
  const resultsFor = async (more: string) =>
    resultLines(await decide({ policy: written("ValidatingPolicy", more), object: pod({}) }));
  assert.deepEqual(await resultsFor("validations: [{expression: 'true'}]"), ["pass success"]);
  assert.deepEqual(await resultsFor(named), ["fail bad name"]);
  assert.deepEqual(await resultsFor("validations: [{expression: 'true'}, {expression: 'false'}]"), [
    "fail CEL expression validation failed at index 1",
  ]);
  assert.deepEqual(
    await resultsFor(
      "validations: [{expression: 'false', messageExpression: \"'no ' + object.metadata.name\"}]",
    ),
    ["fail no web"],
  );
  assert.deepEqual(await resultsFor("validations: [{expression: object.spec.gone == 1}]"), [
    "error error: no such key: gone",
  ]);
  assert.deepEqual(
    await resultsFor(
      "variables: [{name: a, expression: object.metadata.name}]\nvalidations: [{expression: variables.a == 'web'}]",
    ),
    ["pass success"],
  );
});

Deno.test("ValidatingPolicy: match conditions skip, and fail as failurePolicy says", async () => {
  const resultsFor = async (condition: string, more = "") =>
    resultLines(
      await decide({
        policy: written(
          "ValidatingPolicy",
          `${more}matchConditions: [{name: a, expression: ${condition}}]\n${named}`,
        ),
        object: pod({}),
      }),
    );
  assert.deepEqual(await resultsFor("'false'"), ["skip skip"]);
  assert.deepEqual(await resultsFor("object.spec.gone == 1"), [
    "error failed to load context: no such key: gone",
  ]);
  assert.deepEqual(await resultsFor("object.spec.gone == 1", "failurePolicy: Ignore\n"), ["skip skip"]);
});

const stored = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { env: "prod" } },
});

const namespaceRequests: [
  change: string,
  objects: { object?: JsonObject; oldObject?: JsonObject },
  seen: string,
][] = [
  ["UPDATE", { object: stored("prod"), oldObject: stored("prod") }, "fail prod"],
  ["DELETE", { oldObject: stored("prod") }, "fail prod"],
  ["CREATE", { object: stored("new") }, "fail null"],
];
for (const [operation, objects, seen] of namespaceRequests) {
  Deno.test(`ValidatingPolicy: namespaceObject of a Namespace is the stored one: ${operation}`, async () => {
    const expression = 'namespaceObject == null ? "null" : namespaceObject.metadata.labels.env';
    const policy = (kind: string) =>
      written(
        kind,
        `validations: [{expression: 'false', messageExpression: '${expression}'}]`,
        "{apiGroups: [''], apiVersions: [v1], resources: [namespaces]}",
      ).replace("CREATE, UPDATE", "CREATE, UPDATE, DELETE");
    const input = { ...objects, cluster: [stored("prod")] };
    assert.deepEqual(resultLines(await decide({ ...input, policy: policy("ValidatingPolicy") })), [seen]);
    const native = await decide({ ...input, policy: policy("ValidatingAdmissionPolicy") });
    assert.deepEqual(resultLines(native), ["fail null"]);
  });
}

Deno.test("ValidatingPolicy: constraints select by resource, name, labels and namespace", async () => {
  const resultsFor = async (constraints: string, object = pod({}, { labels: { app: "web" } })) =>
    resultLines(
      await decide({
        policy: written("ValidatingPolicy", named).replace(
          /matchConstraints: .*/,
          `matchConstraints: ${constraints}`,
        ),
        object,
        cluster: [{
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "prod", labels: { tier: "gold" } },
        }],
      }),
    ).length;
  const pods = "{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: ['*']";
  const cases: [constraints: string, selects: boolean][] = [
    [`{resourceRules: [${pods}}]}`, true],
    [`{resourceRules: [${pods}, resourceNames: [web]}]}`, true],
    [`{resourceRules: [${pods}, resourceNames: [other]}]}`, false],
    [`{resourceRules: [${pods.replace("'*'", "DELETE")}}]}`, false],
    [`{resourceRules: [${pods}}], excludeResourceRules: [${pods}}]}`, false],
    [`{resourceRules: [${pods}}], objectSelector: {matchLabels: {app: web}}}`, true],
    [`{resourceRules: [${pods}}], objectSelector: {matchLabels: {app: other}}}`, false],
    [`{resourceRules: [${pods}}], namespaceSelector: {matchLabels: {tier: gold}}}`, true],
    [`{resourceRules: [${pods}}], namespaceSelector: {matchLabels: {tier: lead}}}`, false],
    [
      `{resourceRules: [${pods}}], namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: prod}}}`,
      true,
    ],
    [
      "{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: [CREATE]}]}",
      true,
    ],
    [
      "{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/exec'], operations: [CREATE]}]}",
      false,
    ],
  ];
  for (const [constraints, selects] of cases) {
    assert.equal(await resultsFor(constraints), selects ? 1 : 0, constraints);
  }
});

Deno.test("ValidatingPolicy: autogen applies rules about Pods to their controllers, unless it is disabled", async () => {
  const more = "validations: [{expression: object.spec.hostNetwork == false, message: host}]";
  const object = deployment({ template: { spec: { hostNetwork: true } } });
  const resultsFor = async (policy: string) => resultLines(await decide({ policy, object }));
  assert.deepEqual(await resultsFor(written("ValidatingPolicy", more)), ["fail host"]);
  const off = "autogen: {podControllers: {controllers: []}}\n";
  assert.deepEqual(await resultsFor(written("ValidatingPolicy", off + more)), []);
});

Deno.test("ValidatingPolicy: exceptions skip it, let it pass, or set the variable exceptions", async () => {
  const resultsFor = async (spec: string, more = named) =>
    resultLines(
      await decide({
        policy: `${written("ValidatingPolicy", more)}---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: exceptions}
spec:
  policyRefs: [{name: p, kind: ValidatingPolicy}]
${spec.replace(/^(?=.)/gm, "  ")}
`,
        object: pod({}),
      }),
    );
  assert.deepEqual(await resultsFor("matchConditions: [{name: a, expression: 'true'}]"), [
    "skip rule is skipped due to policy exception: exceptions/e",
  ]);
  assert.deepEqual(await resultsFor("reportResult: pass"), [
    "pass rule is passed due to policy exception: exceptions/e",
  ]);
  assert.deepEqual(await resultsFor("matchConditions: [{name: a, expression: 'false'}]"), ["fail bad name"]);
  assert.deepEqual(await resultsFor("expiresAt: '1969-01-01T00:00:00Z'"), ["fail bad name"]);
  assert.deepEqual(
    await resultsFor(
      "allowedValues: [web]",
      "validations: [{expression: object.metadata.name in exceptions.allowedValues}]",
    ),
    ["pass success"],
  );
});

Deno.test("ValidatingPolicy in mode JSON evaluates any object, and no requests", async () => {
  const policy = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\n" +
    "spec: {evaluation: {mode: JSON}, validations: [{expression: object.metadata.name == 'web'}]}\n";
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["pass success"]);
  const { policies } = compile(parseDocuments(policy, "p.yaml").documents);
  assert.equal(policies[0]!.policy.admission, false);
});

Deno.test("a policy in mode JSON has no audit annotations", async () => {
  const policy = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\n" +
    "spec: {evaluation: {mode: JSON}, validations: [{expression: object.metadata.name == 'web'}],\n" +
    "auditAnnotations: [{key: k, valueExpression: object.nope}]}\n";
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["pass success"]);
});

Deno.test("an exception that cannot be evaluated exempts nothing where failurePolicy is Ignore", async () => {
  const resultsFor = async (failurePolicy: string) =>
    resultLines(
      await decide({
        policy: `${written("ValidatingPolicy", `failurePolicy: ${failurePolicy}\n${named}`)}---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: exceptions}
spec:
  policyRefs: [{name: p, kind: ValidatingPolicy}]
  matchConditions: [{name: a, expression: object.spec.nope == 1}]
`,
        object: pod({}),
      }),
    );
  assert.deepEqual(await resultsFor("Ignore"), ["fail bad name"]);
  assert.deepEqual(await resultsFor("Fail"), ["error failed to load context: no such key: nope"]);
});

Deno.test("an exception from policies of several namespaces reads the namespace of each", async () => {
  const ofNamespace = (namespace: string): string =>
    written("NamespacedValidatingPolicy", named).replace("{name: p}", `{name: p, namespace: ${namespace}}`);
  const exception = `
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: exceptions}
spec:
  policyRefs: [{name: p, kind: NamespacedValidatingPolicy}]
  matchConditions: [{name: a, expression: "resource.List('v1', 'configmaps').items.size() > 0"}]
`;
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "exempting", namespace: "dev" } };
  const policy = [ofNamespace("prod"), ofNamespace("dev"), exception].join("---");
  const resultsIn = async (namespace: string) =>
    resultLines(await decide({ policy, object: pod({}, { namespace }), cluster: [map] }));
  assert.deepEqual(await resultsIn("prod"), ["fail bad name"]);
  assert.deepEqual(await resultsIn("dev"), ["skip rule is skipped due to policy exception: exceptions/e"]);
});

Deno.test("ValidatingPolicy: an exception that does not compile is reported and exempts nothing", async () => {
  const policy = `${written("ValidatingPolicy", named)}---
apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: exceptions}
spec: {policyRefs: [{name: p, kind: ValidatingPolicy}], matchConditions: [{name: a, expression: nothing.here}]}
`;
  assert.deepEqual(resultLines(await decide({ policy, object: pod({}) })), ["fail bad name"]);
  const { diagnostics } = compile(parseDocuments(policy, "p.yaml").documents);
  assert.match(diagnostics.map(({ message }) => message).join(), /"exceptions\/e" is not used: CEL 1:1/);
});

Deno.test("a denial by CEL policies is one line, and an error denies even when failurePolicy is Ignore", async () => {
  const message = async (more: string) => {
    const decision = await decide({ policy: written("ValidatingPolicy", more), object: pod({}) });
    const response = admissionResponse(decision, { kind: "Pod", namespace: "prod", name: "web" });
    return response.status?.message ?? JSON.stringify(response.warnings ?? []);
  };
  assert.equal(await message(named), "Policy p failed: bad name");
  assert.equal(
    await message("failurePolicy: Ignore\nvalidations: [{expression: object.spec.gone == 1}]"),
    "Policy p error: error: no such key: gone",
  );
  assert.equal(await message(`validationActions: [Audit]\n${named}`), "[]");
  assert.equal(await message(`validationActions: [Warn]\n${named}`), '["Policy p failed: bad name"]');
});

Deno.test("an audit annotation that cannot be evaluated denies the request, even when failurePolicy is Ignore", async () => {
  const more = "failurePolicy: Ignore\nvalidations: [{expression: 'true'}]\n" +
    "auditAnnotations: [{key: a, valueExpression: string(object.spec.gone)}]";
  const decision = await decide({ policy: written("ValidatingPolicy", more), object: pod({}) });
  assert.deepEqual([decision.allowed, resultLines(decision)], [false, [
    "error failed to load context: failed to evaluate auditAnnotation 'a': no such key: gone",
  ]]);
});
