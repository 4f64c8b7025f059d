/** The texts of an answer have a bound together, however many rules have messages. */
import assert from "node:assert/strict";
import { evaluate, policyRequest } from "../../lib/engine/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { admissionResponse } from "../../lib/report/mod.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf, snapshotOf } from "../server/serving.ts";
import { many } from "../support/many_parts.ts";

const text = "{{ request.object.spec.text }}";

/** So many policies of 150 rules about Pods. */
const policies = (count: number, body: string, spec = "validationFailureAction: Enforce"): string =>
  Array.from({ length: count }, (_, policy) => `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p${policy}}
spec:
  ${spec}
  rules: [${many(150, (rule) => `{name: r${rule}, match: {any: [{resources: {kinds: [Pod]}}]}, ${body}}`)}]`)
    .join("");

const inCel = (count: number, fields: string): string =>
  Array.from({ length: count }, (_, policy) => `
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p${policy}}
spec:
  validationActions: [Deny]
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  ${fields}`).join("");

/** So many policies of Kubernetes with 20 audit annotations. */
function admissionPolicies(count: number): string {
  return Array.from({ length: count }, (_, policy) => `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p${policy}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  auditAnnotations: [${
    many(20, (index) => `{key: a${index}, valueExpression: "object.spec.text.substring(0, 5000)"}`)
  }]
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b${policy}}
spec: {policyName: p${policy}, validationActions: [Deny]}`).join("");
}

const refusing = `validate: {message: "${text}", deny: {}}`;
const audited = "validationFailureAction: Audit";

interface Case {
  readonly what: string;
  readonly policies: string;
  readonly texts: number;
}

const cases: readonly Case[] = [
  { what: "a denial by 150 rules", policies: policies(1, refusing), texts: 150 },
  { what: "a denial by 1,500 rules", policies: policies(10, refusing), texts: 1_000 },
  {
    what: "1,500 warnings",
    policies: policies(10, refusing, `emitWarning: true\n  ${audited}`),
    texts: 1_000,
  },
  {
    what: "a denial by 100 policies in CEL",
    policies: inCel(
      100,
      `validations: [{expression: "false", messageExpression: "object.spec.text.substring(0, 5000)"}]`,
    ),
    texts: 100,
  },
  {
    what: "audit annotations of 60 policies",
    policies: admissionPolicies(60),
    texts: 1_000,
  },
];

for (const { what, policies, texts } of cases) {
  Deno.test(`${what} with a field of the object has a bound`, async () => {
    const object = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { text: "word ".repeat(20_000) },
    };
    const parsed = parseReview(admissionReview({ object }));
    assert.ok(parsed.ok);
    const request = policyRequest(parsed.review.request), ports = portsOf();
    const decision = await evaluate(snapshotOf(policies), request, {
      phase: "validate",
      rules: "all",
      ports,
    });
    const response = admissionResponse(decision, { kind: "Pod", namespace: "", name: "p" });
    const { length } = JSON.stringify(response);
    assert.ok(length < 900_000, `${length} characters`);
    const message = response.status?.message ?? "";
    const found = [
      message.match(/^ {2}r\d+:|; Policy|^Policy| r\d+:|\[r0/gm)?.length ?? 0,
      response.warnings?.length ?? 0,
      Object.keys(response.auditAnnotations ?? {}).length,
    ];
    assert.equal(Math.max(...found), texts, JSON.stringify(found));
  });
}
