/** Postern compiles a policy in CEL before it is stored, with the types of the kinds that it is about. */
import assert from "node:assert/strict";
import { review } from "./admission_reviews.ts";

/** A policy of policies.kyverno.io about ConfigMaps. */
const celPolicy = (kind: string, spec: string): string =>
  `apiVersion: policies.kyverno.io/v1\nkind: ${kind}\nmetadata: {name: p${
    kind.startsWith("Namespaced") ? ", namespace: team" : ""
  }}\nspec: {matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], ` +
  `resources: [configmaps]}]}, ${spec}}`;

const condition = "matchConditions: [{name: a, expression: object.x}]";

/** The spec of a policy in CEL, and the end of its refusal; `undefined` when it is stored. */
const untyped: readonly (readonly [what: string, kind: string, spec: string, type: string | undefined])[] = [
  [
    "a condition",
    "DeletingPolicy",
    "schedule: '@hourly', conditions: [{name: a, expression: object.x}]",
    "bool",
  ],
  [
    "a compared condition",
    "DeletingPolicy",
    "schedule: '@hourly', conditions: [{name: a, expression: object.x == 1}]",
    undefined,
  ],
  ["a validation", "ValidatingPolicy", "validations: [{expression: object.x}]", "bool"],
  ["a converted validation", "ValidatingPolicy", "validations: [{expression: bool(object.x)}]", undefined],
  [
    "a validation that is a variable",
    "ValidatingPolicy",
    "variables: [{name: x, expression: object.x}], validations: [{expression: variables.x}]",
    "bool",
  ],
  [
    "a message",
    "ValidatingPolicy",
    "validations: [{expression: 'true', messageExpression: object.x}]",
    "string",
  ],
  ["a match condition", "ValidatingPolicy", `validations: [{expression: 'true'}], ${condition}`, "bool"],
  [
    "an audit annotation",
    "ValidatingPolicy",
    "validations: [{expression: 'true'}], auditAnnotations: [{key: a, valueExpression: object.x}]",
    "string or null_type",
  ],
  [
    "a patch",
    "MutatingPolicy",
    "mutations: [{patchType: JSONPatch, jsonPatch: {expression: object.x}}]",
    "list\\(JSONPatch\\)",
  ],
  [
    "an apply configuration",
    "MutatingPolicy",
    "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: object.x}}]",
    "Object",
  ],
  ["a generation", "GeneratingPolicy", "generate: [{expression: object.x}]", "bool"],
  [
    "an image reference",
    "ImageValidatingPolicy",
    "matchImageReferences: [{expression: dyn(true)}], validations: [{expression: 'true'}]",
    "bool",
  ],
  [
    "the key of an attestor",
    "ImageValidatingPolicy",
    "matchImageReferences: [{glob: '*'}], attestors: [{name: a, cosign: {key: {expression: object.x}}}], validations: [{expression: 'true'}]",
    undefined,
  ],
];
for (const [what, kind, spec, type] of untyped) {
  Deno.test(`policy review ${type === undefined ? "takes" : "refuses"} ${what} of an unknown type: ${kind}`, async () => {
    const { allowed, message } = await review("/policyvalidate", celPolicy(kind, spec));
    assert.equal(allowed, type === undefined, message);
    if (type !== undefined) {
      assert.match(message, new RegExp(`output is expected to be (?:either )?of type ${type},`));
    }
  });
}

const calling: readonly (readonly [kind: string, spec: string])[] = [
  ["ValidatingPolicy", `validations: [{expression: "http.Get('http://a') != null"}]`],
  ["ValidatingPolicy", `validations: [{expression: "http.Client('x').Get('http://a') != null"}]`],
  [
    "DeletingPolicy",
    `schedule: '@hourly', conditions: [{name: a, expression: "http.Get('http://a') != null"}]`,
  ],
  [
    "MutatingPolicy",
    `variables: [{name: a, expression: "http.Get('http://a')"}], ` +
    "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]",
  ],
];
for (const [kind, spec] of calling) {
  Deno.test(`policy review refuses a policy of a namespace that calls a service: ${spec}`, async () => {
    const found = await review("/policyvalidate", celPolicy(`Namespaced${kind}`, spec));
    assert.equal(found.message, "spec: Forbidden: http.* is not allowed in namespaced policies");
    assert.equal((await review("/policyvalidate", celPolicy(kind, spec))).message, "");
  });
}
