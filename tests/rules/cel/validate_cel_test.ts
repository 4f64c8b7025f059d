import assert from "node:assert/strict";
import { compile } from "../../../lib/engine/mod.ts";
import type { Json } from "../../../lib/json/mod.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";
import { decide, deployment, resultLines } from "./decide.ts";

/** A ClusterPolicy about Deployments whose rule has this body, written below `cel:`. */
function policy(cel: string, { rule = "", spec = "" } = {}): string {
  const indent = (text: string, by: number) => text.replace(/^(?=.)/gm, " ".repeat(by));
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: p
spec:
  validationFailureAction: Enforce
${indent(spec, 2)}
  rules:
  - name: r
    match:
      any:
      - resources:
          kinds: [Deployment]
${indent(rule, 4)}
    validate:
      message: rule message
      cel:
${indent(cel, 8)}
`;
}

const passed = "pass Validation rule 'r' passed.";

const cases: [name: string, cel: string, message: string][] = [
  ["a true expression passes", "expressions: [{expression: object.spec.replicas > 1}]", passed],
  [
    "a false one fails with its message",
    "expressions: [{expression: 'false', message: ' nope '}]",
    "fail nope",
  ],
  ["without a message the rule's is used", "expressions: [{expression: 'false'}]", "fail rule message"],
  [
    "a message expression comes before the message",
    "expressions: [{expression: 'false', message: nope, messageExpression: '\"n=\" + string(object.spec.replicas)'}]",
    "fail n=3",
  ],
  [
    "a message expression that fails leaves the message",
    "expressions: [{expression: 'false', message: nope, messageExpression: object.spec.gone}]",
    "fail nope",
  ],
  [
    "an expression that fails counts as false and says why",
    "expressions: [{expression: object.spec.gone == 1}]",
    "fail expression 'object.spec.gone == 1' resulted in error: no such key: gone",
  ],
  [
    "variables may use those before them",
    "variables: [{name: a, expression: object.spec.replicas}, {name: b, expression: variables.a + 1}]\n" +
    "expressions: [{expression: variables.b == 4}]",
    passed,
  ],
  [
    "a variable that no expression reads is not evaluated",
    "variables: [{name: a, expression: object.spec.gone}]\nexpressions: [{expression: 'true'}]",
    passed,
  ],
  [
    "a variable that fails is named",
    "variables: [{name: a, expression: object.spec.gone}]\nexpressions: [{expression: variables.a == 1}]",
    "fail expression 'variables.a == 1' resulted in error: composited variable \"a\" fails to evaluate: no such key: gone",
  ],
  ["oldObject of a CREATE is null", "expressions: [{expression: oldObject == null}]", passed],
  [
    "the request is typed",
    "expressions: [{expression: request.userInfo.username == 'jane' && request.operation == 'CREATE'}]",
    passed,
  ],
  [
    "namespaceObject is loaded",
    "expressions: [{expression: namespaceObject.metadata.labels.tier == 'gold'}]",
    passed,
  ],
  [
    "orValue of a plain value is the value",
    "expressions: [{expression: object.spec.replicas.orValue(1) == 3}]",
    passed,
  ],
  [
    "the budget ends expressions that never end",
    "expressions: [{expression: '[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c," +
    " [0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, true))))))'}]",
    "fail expression '[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c," +
    " [0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, true))))))'" +
    " resulted in error: operation cancelled: actual cost limit exceeded",
  ],
];

const namespace: Json = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "prod", labels: { tier: "gold" } },
};

for (const [name, cel, expected] of cases) {
  Deno.test(`validate.cel: ${name}`, async () => {
    const decision = await decide({
      policy: policy(cel),
      object: deployment({ replicas: 3 }),
      cluster: [namespace],
    });
    assert.deepEqual(resultLines(decision), [expected]);
  });
}

Deno.test("validate.cel: object is null for a DELETE, and oldObject has the value", async () => {
  const decision = await decide({
    policy: policy("expressions: [{expression: object == null && oldObject.spec.replicas == 3}]"),
    oldObject: deployment({ replicas: 3 }),
  });
  assert.deepEqual(resultLines(decision), [passed]);
});

Deno.test("validate.cel: an update that does not change a violation is denied", async () => {
  const same = deployment({ replicas: 1 });
  const decision = await decide({
    policy: policy("expressions: [{expression: object.spec.replicas > 1}]"),
    object: same,
    oldObject: same,
  });
  assert.equal(decision.allowed, false);
});

Deno.test("celPreconditions decide whether the rule applies, and one with an error denies", async () => {
  const cel = "expressions: [{expression: 'false'}]";
  const resultsFor = async (expression: string) =>
    resultLines(
      await decide({
        policy: policy(cel, { rule: `celPreconditions: [{name: a, expression: ${expression}}]` }),
        object: deployment({ replicas: 3 }),
      }),
    );
  assert.deepEqual(await resultsFor("object.spec.replicas > 5"), ["skip cel preconditions not met"]);
  assert.deepEqual(await resultsFor("object.spec.replicas > 1"), ["fail rule message"]);
  assert.deepEqual(await resultsFor("object.spec.gone > 1"), [
    "fail expression 'object.spec.gone > 1' resulted in error: no such key: gone",
  ]);
});

Deno.test("celPreconditions read no Namespace, as match conditions of the API server", async () => {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "prod" } };
  const resultsFor = async (expression: string) =>
    resultLines(
      await decide({
        policy: policy("expressions: [{expression: namespaceObject.metadata.name == 'prod'}]", {
          rule: `celPreconditions: [{name: a, expression: ${expression}}]`,
        }),
        object: deployment({}),
        cluster: [namespace],
      }),
    );
  assert.deepEqual(await resultsFor("namespaceObject == null"), [passed]);
  assert.deepEqual(await resultsFor("namespaceObject.metadata.name == 'prod'"), [
    "fail expression 'namespaceObject.metadata.name == 'prod'' resulted in error: no such key: metadata",
  ]);
});

Deno.test("a Namespace has no namespace in which parameters could be", async () => {
  const text = policy(
    "paramKind: {apiVersion: v1, kind: ConfigMap}\nparamRef: {name: a, parameterNotFoundAction: Allow}\n" +
      "expressions: [{expression: 'true'}]",
  ).replace("[Deployment]", "[Namespace]");
  const parameter = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "prod" } };
  const decision = await decide({
    policy: text,
    object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "prod" } },
    cluster: [parameter],
  });
  assert.deepEqual(resultLines(decision), [
    "error error in parameterized resource: can't use namespaced paramRef to match cluster-scoped resources",
  ]);
});

const readsElsewhere: [what: string, kind: string, reference: string, message: string][] = [
  [
    "in another namespace",
    "{apiVersion: v1, kind: Secret}",
    "{name: key, namespace: ops}",
    "paramRef reads secrets in namespace ops, and a Policy reads only its namespace team",
  ],
  [
    "that labels select in another namespace",
    "{apiVersion: v1, kind: Secret}",
    "{selector: {matchLabels: {}}, namespace: ops}",
    "paramRef reads secrets in namespace ops, and a Policy reads only its namespace team",
  ],
  [
    "of a kind of the whole cluster",
    "{apiVersion: v1, kind: Namespace}",
    "{name: ops}",
    "paramRef reads namespaces of the whole cluster, and a Policy reads only its namespace team",
  ],
];
for (const [what, kind, reference, message] of readsElsewhere) {
  Deno.test(`a Policy reads no parameters ${what}`, async () => {
    const text = policy(
      `paramKind: ${kind}\nparamRef: ${reference}\n` +
        "expressions: [{expression: 'false', messageExpression: params.metadata.labels.secret}]",
    ).replace("ClusterPolicy", "Policy").replace("name: p", "name: p\n  namespace: team");
    const metadata = { name: "key", namespace: "ops", labels: { secret: "s3cret" } };
    const decision = await decide({
      policy: text,
      object: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "team" } },
      cluster: [
        { apiVersion: "v1", kind: "Namespace", metadata: { ...metadata, name: "ops" } },
        { apiVersion: "v1", kind: "Secret", metadata },
      ],
    });
    assert.deepEqual(resultLines(decision), [`error error in parameterized resource: ${message}`]);
  });
}

Deno.test("a Policy reads the parameters of its namespace, named or not", async () => {
  for (const reference of ["{name: a}", "{name: a, namespace: team}"]) {
    const text = policy(
      `paramKind: {apiVersion: v1, kind: ConfigMap}\nparamRef: ${reference}\n` +
        "expressions: [{expression: params.data.max == '2'}]",
    ).replace("ClusterPolicy", "Policy").replace("name: p", "name: p\n  namespace: team");
    const decision = await decide({
      policy: text,
      object: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "team" } },
      cluster: [{
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", namespace: "team" },
        data: { max: "2" },
      }],
    });
    assert.deepEqual(resultLines(decision), [passed]);
  }
});

const brokenTexts: [name: string, cel: string, expected: string][] = [
  [
    "a message of another type",
    "expressions: [{expression: 'false', message: a, messageExpression: '1'}]",
    "fail a",
  ],
  [
    "a message that is no CEL",
    "expressions: [{expression: 'false', messageExpression: '1 +'}]",
    "fail rule message",
  ],
  [
    "a message behind one that passes",
    "expressions: [{expression: 'true', messageExpression: gone}]",
    passed,
  ],
  [
    "an audit annotation of another type",
    "expressions: [{expression: 'true'}]\nauditAnnotations: [{key: a, valueExpression: '1'}]",
    passed,
  ],
];
for (const [name, cel, expected] of brokenTexts) {
  Deno.test(`validate.cel passes over ${name}, and warns its author`, async () => {
    const text = policy(cel);
    assert.deepEqual(resultLines(await decide({ policy: text, object: deployment({}) })), [expected]);
    const { diagnostics } = compile(parseDocuments(text, "policy.yaml").documents);
    assert.deepEqual(
      diagnostics.filter(({ code }) => code === "bad-cel").map(({ severity }) => severity),
      ["warning"],
    );
  });
}

Deno.test("params come from the cluster, by name or selector, and all must agree", async () => {
  const limit = (name: string, max: string): Json => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "prod", labels: { limits: "yes" } },
    data: { max },
  });
  const resultsFor = async (reference: string) =>
    resultLines(
      await decide({
        policy: policy(
          `paramKind: {apiVersion: v1, kind: ConfigMap}\nparamRef: ${reference}\n` +
            "expressions: [{expression: object.spec.replicas <= int(params.data.max), messageExpression: '\"over \" + params.data.max'}]",
        ),
        object: deployment({ replicas: 3 }),
        cluster: [limit("a", "5"), limit("b", "2")],
      }),
    );
  assert.deepEqual(await resultsFor("{name: a}"), [passed]);
  assert.deepEqual(await resultsFor("{name: b}"), ["fail over 2"]);
  assert.deepEqual(await resultsFor("{selector: {matchLabels: {limits: 'yes'}}}"), ["fail over 2"]);
  assert.deepEqual(await resultsFor("{name: c}"), [
    'error error in parameterized resource: configmaps "c" not found',
  ]);
  assert.deepEqual(await resultsFor("{name: c, parameterNotFoundAction: Allow}"), [passed]);
});

Deno.test("auditAnnotations go to the audit event under the policy's name", async () => {
  const decision = await decide({
    policy: policy(
      "expressions: [{expression: 'true'}]\nauditAnnotations: [{key: count, valueExpression: string(object.spec.replicas)}," +
        " {key: none, valueExpression: \"''\"}]",
    ),
    object: deployment({ replicas: 3 }),
  });
  assert.deepEqual(decision.results[0]!.rules[0]!.auditAnnotations, { "p/count": "3" });
});

Deno.test("a rule leaves out an audit annotation that cannot be evaluated, and passes", async () => {
  const decision = await decide({
    policy: policy(
      "expressions: [{expression: 'true'}]\nauditAnnotations: [{key: a, valueExpression: string(object.spec.gone)}]",
    ),
    object: deployment({ replicas: 3 }),
  });
  const [rule] = decision.results[0]!.rules;
  assert.deepEqual([rule!.result, rule!.auditAnnotations], ["pass", undefined]);
});

Deno.test("an expression that does not compile is reported with its position, and the rule answers with an error", async () => {
  const text = policy("expressions: [{expression: object.spec.replicas > }, {expression: '1 + 1'}]");
  const { diagnostics } = compile(parseDocuments(text, "policy.yaml").documents);
  const found = diagnostics.filter(({ code }) => code === "bad-cel");
  assert.equal(found.length >= 2, true);
  assert.equal(found[0]!.position?.line, 19);
  assert.match(found.at(-1)!.message, /must give bool, but gives int/);
  const decision = await decide({ policy: text, object: deployment({ replicas: 3 }) });
  assert.equal(decision.allowed, false);
});

Deno.test("matchConditions of the webhook decide whether the policy is evaluated; one with an error skips it", async () => {
  const resultsFor = async (expression: string) =>
    resultLines(
      await decide({
        policy: policy("expressions: [{expression: 'false'}]", {
          spec: `webhookConfiguration: {matchConditions: [{name: a, expression: ${expression}}]}`,
        }),
        object: deployment({ replicas: 3 }),
      }),
    );
  assert.deepEqual(await resultsFor("request.userInfo.username == 'jane'"), ["fail rule message"]);
  assert.deepEqual(await resultsFor("request.userInfo.username == 'root'"), []);
  assert.deepEqual(await resultsFor("object.spec.gone == 1"), []);
});
