/** Fields that have one of a few texts. */
import assert from "node:assert/strict";
import { parsePolicy } from "../../lib/documents/mod.ts";
import { isObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const onPods = "match: {any: [{resources: {kinds: [Pod]}}]}", pattern = "pattern: {metadata: {name: a}}";

/** The problems of a policy with a setting and a rule. */
function problemsOf(setting: string, rule: string): string[] {
  const text = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n" +
    `  ${setting}\n  rules: [{name: r, ${onPods}, ${rule}}]\n`;
  const { value } = parseDocuments(text, "policy.yaml").documents[0]!;
  assert.ok(isObject(value));
  return parsePolicy(value, () => undefined).diagnostics.map(({ severity, code, message, hint }) =>
    `${severity} ${code}: ${message} (${hint})`
  );
}

const validating = `validate: {${pattern}}`;

const otherCase: readonly (readonly [setting: string, rule: string, found: string])[] = [
  [
    "validationFailureAction: ENFORCE",
    validating,
    'validationFailureAction cannot be "ENFORCE" (did you mean "Enforce"?)',
  ],
  ["failurePolicy: ignore", validating, 'failurePolicy cannot be "ignore" (did you mean "Ignore"?)'],
  [
    "background: false",
    `validate: {failureAction: enforce, ${pattern}}`,
    'failureAction cannot be "enforce" (did you mean "Enforce"?)',
  ],
  [
    "background: false",
    `validate: {failureActionOverrides: [{action: AUDIT, namespaces: [a]}], ${pattern}}`,
    'action cannot be "AUDIT" (did you mean "Audit"?)',
  ],
  [
    "background: false",
    "mutate: {foreach: [{list: request.object.a, order: descending, patchStrategicMerge: {a: b}}]}",
    'order cannot be "descending" (did you mean "Descending"?)',
  ],
  [
    "background: false",
    `context: [{name: a, apiCall: {urlPath: /a, method: get}}], ${validating}`,
    'method cannot be "get" (did you mean "GET"?)',
  ],
];

for (const [setting, rule, found] of otherCase) {
  Deno.test(`a text in another case is read, and the API server refuses it: ${found}`, () => {
    assert.deepEqual(problemsOf(setting, rule), [`warning refused-by-api-server: ${found}`]);
  });
}

Deno.test("another text is an error, which is said once, though autogen makes rules of the rule", () => {
  assert.deepEqual(problemsOf("background: false", `validate: {failureAction: Enforced, ${pattern}}`), [
    'error unknown-value: failureAction cannot be "Enforced" (did you mean "Enforce"?)',
  ]);
  const credentials = "imageRegistryCredentials: {providers: [aws]}";
  assert.deepEqual(
    problemsOf("background: false", `verifyImages: [{imageReferences: [a], ${credentials}}]`)[0],
    'error unknown-value: providers cannot be "aws" (use one of default, amazon, azure, google, github)',
  );
});
