import assert from "node:assert/strict";
import { admissionPolicyProblems } from "../../lib/documents/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";

function problemsOf(messageExpression: string): readonly string[] {
  const document: JsonObject = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
        ],
      },
      validations: [{ expression: "true", messageExpression }],
    },
  };
  const kind = "ValidatingAdmissionPolicy", group = "admissionregistration.k8s.io";
  const locate = () => ({ file: "p.yaml", line: 1, column: 1 });
  return admissionPolicyProblems({ kind, group, document, locate }).map(({ message }) => message);
}

const refused = "A messageExpression has no authorizer";
const texts: readonly (readonly [title: string, text: string, isRefused: boolean])[] = [
  ["itself", "string(authorizer.path('/').check('get').allowed())", true],
  ["behind a literal", "'a' + string(authorizer.path('/').check('get').allowed())", true],
  ["behind a literal with quotation marks", String.raw`'\'"' + string(authorizer == null)`, true],
  ["in a literal", "'authorizer'", false],
  ["in a literal with quotation marks", String.raw`"\"authorizer"`, false],
  ["as a field", "object.authorizer", false],
];
for (const [title, text, isRefused] of texts) {
  Deno.test(`a messageExpression with authorizer ${title} is ${isRefused ? "refused" : "accepted"}`, () => {
    assert.equal(problemsOf(text).includes(refused), isRefused);
  });
}

Deno.test("a messageExpression is read once from beginning to end, also with quotation marks that do not end", () => {
  // Reading it again from each quotation mark would take hours.
  for (const mark of ['"', "'"]) {
    assert.equal(problemsOf(`${mark}${`\\${mark}`.repeat(250_000)}authorizer`).includes(refused), false);
  }
});
