/** The command apply with exceptions, given and generated. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inFolder } from "./apply_files.ts";

const exceptionCases: [args: string[], skipped: number][] = [
  [["@policy.yaml", "@exception.yaml", "-r", "@bad.yaml"], 0],
  [["@policy.yaml", "@exception.yaml", "-r", "@bad.yaml", "--exceptions-within-policies"], 1],
  [["@policy.yaml", "-r", "@bad.yaml", "-e", "@exception.yaml"], 1],
  [["@policy.yaml", "-r", "@bad.yaml", "--exceptions=@exception.yaml"], 1],
  [["@policy.yaml", "-r", "@bad.yaml,@exception.yaml", "--exceptions-within-resources"], 1],
  [["@policy.yaml", "-r", "@bad.yaml,@exception.yaml", "--exceptions-with-resources=true"], 1],
  [["@policy.yaml", "-r", "@bad.yaml,@exception.yaml", "--exceptions-within-resources=false"], 0],
];
for (const [args, skipped] of exceptionCases) {
  Deno.test(`exceptions: apply ${args.join(" ")} skips ${skipped}`, () =>
    inFolder(async (apply) => {
      const { out } = await apply(...args);
      assert.match(out, new RegExp(`fail: ${1 - skipped}, warn: 0, error: 0, skip: ${skipped} $`));
    }));
}

const notExceptions: readonly (readonly [file: string, said: RegExp])[] = [
  [
    "@policy.yaml",
    /policy\.yaml:3:1: error unknown-kind: "ClusterPolicy" \(kyverno\.io\/v1\) is no PolicyException/,
  ],
  ["@kindless.yaml", /kindless\.yaml:1:1: error unknown-kind: "" \(v1\) is no PolicyException/],
];
for (const [file, said] of notExceptions) {
  Deno.test(`exceptions: ${file} holds none`, () =>
    inFolder(async (apply) => {
      const { out, err, code } = await apply("@policy.yaml", "-r", "@good.yaml", "-e", file);
      assert.match(err, said);
      assert.match(out, /^\nApplying 3 policy rule\(s\) to 1 resource\(s\)\.\.\.$/m);
      assert.equal(code, 1);
    }));
}

Deno.test("exceptions that apply generates let the same objects pass", () =>
  inFolder(async (apply, folder) => {
    const { out } = await apply(
      "@policy.yaml",
      "-r",
      "@bad.yaml",
      "--generate-exceptions",
      "--generated-exception-ttl",
      "24h",
    );
    assert.match(out, /cleanup\.kyverno\.io\/ttl: 24h0m0s/);
    await Deno.writeTextFile(join(folder, "made.yaml"), out);
    assert.equal((await apply("@policy.yaml", "-r", "@bad.yaml", "-e", "@made.yaml")).code, 0);
  }));

Deno.test("exceptions from podSecurity name the controls and the images that violate them", () => {
  const podSecurity = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: psa }
spec:
  rules:
    - name: baseline
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate: { podSecurity: { level: baseline, version: latest } }
`;
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: { name: p }\n" +
    "spec: { hostNetwork: true, containers: [{ name: c, image: 'nginx:1', securityContext: { privileged: true } }] }\n";
  return inFolder(async (apply) => {
    const { out } = await apply(
      "@psa.yaml",
      "-r",
      "@pod.yaml",
      "--generate-exceptions",
      "--output-format",
      "json",
    );
    const [mark, text] = out.split("\n");
    assert.equal(mark, "---");
    const { spec } = JSON.parse(text!) as { spec: { podSecurity: unknown } };
    assert.deepEqual(spec.podSecurity, [
      { controlName: "Host Namespaces" },
      { controlName: "Privileged Containers", images: ["docker.io/nginx*"] },
    ]);
  }, { "psa.yaml": podSecurity, "pod.yaml": pod });
});
