/** Policies and objects that Kyverno's command line reads otherwise, as docs/compatibility.md says. */
import assert from "node:assert/strict";
import { inFolder } from "./in_folder.ts";

const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: { name: real, namespace: default }
data: { most: 9007199254740993 }
`;

function policy(validate: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: p }
spec:
  background: false
  rules:
  - name: r
    match: { any: [{ resources: { kinds: [ConfigMap] } }] }
    validate: { ${validate} }
`;
}

const values = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Values
policies: [{ name: p, resources: [{ name: real, values: { request.object.metadata.name: given } }] }]
`;

Deno.test("a rule reads the name that a value gives, and results name the object as its file does", () =>
  inFolder({
    "policy.yaml": policy(
      'message: "{{ request.object.metadata.name }}", pattern: { metadata: { name: "!given" } }',
    ),
    "real.yaml": configMap,
    "values.yaml": values,
  }, async (run) => {
    const { code, out } = await run("apply", "@policy.yaml", "-r", "@real.yaml", "-f", "@values.yaml");
    assert.match(
      out,
      /policy p -> resource default\/ConfigMap\/real failed:\n1 - r validation error: given\./,
    );
    assert.equal(code, 1);
  }));

Deno.test("a pattern with a whole number above 2^53 passes for an object with the same number", () =>
  inFolder({
    "policy.yaml": policy("pattern: { data: { most: 9007199254740993 } }"),
    "real.yaml": configMap,
  }, async (run) => {
    const { code, out } = await run("apply", "@policy.yaml", "-r", "@real.yaml");
    assert.match(out, /pass: 1, fail: 0/);
    assert.equal(code, 0);
  }));

Deno.test("a policy whose message is a number is evaluated with a warning", () =>
  inFolder({
    "policy.yaml": policy("message: 5, pattern: { metadata: { name: other } }"),
    "real.yaml": configMap,
  }, async (run) => {
    const { code, out, err } = await run("apply", "@policy.yaml", "-r", "@real.yaml");
    assert.match(out, /fail: 1/);
    assert.match(err, /:10:\d+: warning refused-by-api-server: .*message must be text, not number 5/);
    assert.equal(code, 1);
  }));
