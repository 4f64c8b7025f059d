/** The replacement that a diagnostic proposes repairs the policy. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: teams }
spec:
  failurePolicy: Ignore
  rules:
  - name: team
    match: { any: [{ resources: { kinds: [Deployment] } }] }
    context:
    - name: limit
      configMap: { name: limits, namespace: default }
    preconditions:
      all:
      - { key: "{{ length(request.object.spec) }}", operator: GreaterThan, value: "{{ limit.data.most }}" }
    validate:
      message: name your team
      pattern: { metadata: { labels: { team: "?*" } } }
`;

const misspelt: readonly (readonly [right: string, wrong: string, code: string])[] = [
  ["pattern:", "patern:", "unknown-field"],
  ["kind: ClusterPolicy", "kind: ClusterPolcy", "unknown-kind"],
  ["failurePolicy: Ignore", "failurePolicy: Ignor", "unknown-value"],
  ["kinds: [Deployment]", "kinds: [deployment]", "misspelt-kind"],
  ["operator: GreaterThan", "operator: GreaterThen", "unknown-operator"],
  ["length(", "lenght(", "unknown-function"],
  ["request.object", "request.obejct", "unknown-variable"],
  ["limit.data", "limt.data", "unknown-variable"],
];

function diagnosticsOf(text: string): ReturnType<typeof compile>["diagnostics"] {
  return compile(parseDocuments(text, "policy.yaml").documents).diagnostics;
}

Deno.test("the policy of this table has no diagnostic", () => assert.deepEqual(diagnosticsOf(policy), []));

for (const [right, wrong, code] of misspelt) {
  Deno.test(`${wrong} is ${code}, and its replacement repairs the policy`, () => {
    const text = policy.replace(right, wrong);
    const found = diagnosticsOf(text).find((diagnostic) => diagnostic.code === code);
    assert(found?.replacement, JSON.stringify(diagnosticsOf(text)));
    const { position, replacement: { written, meant } } = found;
    const lines = text.split("\n");
    const at = lines.slice(0, position!.line - 1).join("\n").length;
    const repaired = text.slice(0, at) + text.slice(at).replace(written, meant);
    assert.equal(repaired, policy);
  });
}
