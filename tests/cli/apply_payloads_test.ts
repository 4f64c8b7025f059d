/** The command apply with --json: policies in CEL on any JSON. */
import assert from "node:assert/strict";
import { inFolder } from "./apply_files.ts";

Deno.test("--json applies policies in CEL to payloads, each item of a list for itself", () => {
  const cel = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: small }
spec:
  evaluation: { mode: JSON }
  validations: [{ expression: "object.size < 10", message: too big }]
`;
  return inFolder(async (apply) => {
    const { out, code } = await apply("@cel.yaml", "--json", "@payload.json");
    assert.match(out, /policy small -> resource JSON payload failed:\n1 - .*too big\n/);
    assert.match(out, /pass: 1, fail: 1, /);
    assert.equal(code, 1);
    // Reports name the process that the policy is written for, as with Kyverno.
    const report = await apply("@cel.yaml", "--json", "@payload.json", "-p", "--output-format", "json");
    assert.deepEqual(report.out.match(/"process":"[^"]*"/g), Array(2).fill('"process":"background scan"'));
  }, { "cel.yaml": cel, "payload.json": '[{"size": 3}, {"size": 30}]' });
});

const payloadTexts: readonly (readonly [expression: string, json: string, yaml: string])[] = [
  ["object.size + 1 == 4", "error: no such overload", "pass"],
  ["object.size + 1.0 == 4.0", "pass", "error: no such overload"],
  ["object.inner.sizes[0] == 3", "pass", "pass"],
  ["type(object.inner.sizes[0]) == double", "pass", "fail"],
  ["request == null && oldObject == null && namespaceObject == null", "pass", "pass"],
  ["request.operation == 'CREATE'", "error: no such key: operation", "error: no such key: operation"],
];
for (const [expression, json, yaml] of payloadTexts) {
  Deno.test(`--json: ${expression} of a policy in mode JSON`, () => {
    const cel = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: { name: p }\n" +
      `spec: {evaluation: {mode: JSON}, validations: [{expression: ${JSON.stringify(expression)}}]}\n`;
    const payload = '{"size": 3, "metadata": {"namespace": "n"}, "inner": {"sizes": [3]}}';
    return inFolder(async (apply) => {
      for (const [file, expected] of [["payload.json", json], ["payload.yaml", yaml]]) {
        const { out } = await apply("@cel.yaml", "--json", `@${file}`);
        const result = out.includes("pass: 1") ? "pass" : /error: no such .*/.exec(out)?.[0] ?? "fail";
        assert.equal(result, expected, out);
      }
    }, { "cel.yaml": cel, "payload.json": payload, "payload.yaml": payload });
  });
}

Deno.test("--json: on, yes and n of a payload in YAML are texts", () => {
  const expression = "object.on.push == 'yes' && object.list[0] == 'n' && object.list[1] && !object.list[2]";
  const cel = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: { name: p }\n" +
    `spec: {evaluation: {mode: JSON}, validations: [{expression: "${expression}"}]}\n`;
  return inFolder(async (apply) => {
    const { out } = await apply("@cel.yaml", "--json", "@payload.yaml");
    assert.match(out, /pass: 1, fail: 0, warn: 0, error: 0, /);
  }, { "cel.yaml": cel, "payload.yaml": "on: { push: yes }\nlist: [n, True, FALSE]\n" });
});

Deno.test("--json: a payload without fields is checked", () => {
  const cel = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: { name: p }\n" +
    "spec: {evaluation: {mode: JSON}, validations: [{expression: has(object.size), message: no size}]}\n";
  return inFolder(async (apply) => {
    for (const file of ["@payload.json", "@payload.yaml"]) {
      const { out, code } = await apply("@cel.yaml", "--json", file);
      assert.match(out, /policy p -> resource JSON payload failed:\n1 - {2}no size\n/);
      assert.equal(code, 1);
    }
  }, { "cel.yaml": cel, "payload.json": "{}", "payload.yaml": "{}" });
});

/** Expressions of an image policy about the payload `{"count": 3}`, and what the policy says. */
const payloadExpressions: readonly (readonly [expression: string, expected: RegExp])[] = [
  ["type(object.count) == double && object.count == 3", /pass: 1/],
  ["object.count + 1 == 4", /failed to evaluate policy: no such overload/],
  ["variables.size + 0.5 == 3.5", /pass: 1/],
  ["request.operation == 'CREATE'", /failed to compile policy: .*undeclared reference to 'request'/],
  ["oldObject == null", /failed to compile policy: .*undeclared reference to 'oldObject'/],
];
for (const [expression, expected] of payloadExpressions) {
  Deno.test(`--json: an image policy has a payload with doubles, and no request: ${expression}`, () => {
    const policy = `apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: { name: images }
spec:
  evaluation: { mode: JSON }
  attestors: [{ name: a, cosign: { key: { data: A } } }]
  variables: [{ name: size, expression: object.count }]
  validations: [{ expression: "${expression}" }]
`;
    return inFolder(async (apply) => {
      const { out } = await apply("@cel.yaml", "--json", "@payload.json");
      assert.match(out, expected);
    }, { "cel.yaml": policy, "payload.json": '{"count": 3}' });
  });
}

Deno.test("--json: an image policy reads the images that it names, not those of containers in a payload", () => {
  const policy = `apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: { name: images }
spec:
  evaluation: { mode: JSON }
  attestors: [{ name: a, cosign: { key: { data: A } } }]
  validationConfigurations: { mutateDigest: false, required: false }
  images: [{ name: base, expression: "[object.base]" }]
  validations: [{ expression: "true" }]
`;
  const payload = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    base: "r.io/base:v1",
    spec: { containers: [{ name: "a", image: "r.io/one:v1" }] },
  });
  return inFolder(async (apply) => {
    const { out } = await apply("@cel.yaml", "--json", "@payload.json");
    assert.match(out, /image r\.io\/base:v1 does not have a digest/);
  }, { "cel.yaml": policy, "payload.json": payload });
});
