/** `json scan`: JSON policies over any payload. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { golden, heard } from "./golden.ts";
import { inFolder } from "./in_folder.ts";

const folder = join(import.meta.dirname!, "golden", "json");
const scan = [
  "json",
  "scan",
  "--policy",
  join(folder, "policies.yaml"),
  "--payload",
  join(folder, "payload.yaml"),
];

async function ran(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = heard();
  const code = await run(args, terminal);
  return { code, out: out(), err: err() };
}

Deno.test("json scan prints each rule's verdict on standard output, and ends with 1 when a check fails", async () => {
  const { code, out } = await ran(...scan, "--pre-process", "resources");
  assert.equal(code, 1);
  golden(join(folder, "text.golden"), out);
});

Deno.test("json scan --output json prints results and nothing else", async () => {
  const { code, out } = await ran(...scan, "--pre-process", "resources", "--output", "json");
  assert.equal(code, 1);
  golden(join(folder, "results.golden"), out);
  JSON.parse(out);
});

Deno.test("json scan ends with 0 when all checks hold", async () => {
  const { code, out } = await ran(...scan, "--pre-process", "resources", "--pre-process", "[0]");
  assert.equal(code, 0);
  assert.match(out, /^Loading policies \.\.\.\nLoading payload \.\.\.\nPre processing \.\.\.\n/);
  assert.match(out, /\nRunning \( evaluating 1 resource against 2 policies \) \.\.\.\n/);
  assert.match(out, /\n- tags \/ owner \/ logs PASSED\n/);
  assert.match(out, /\nDone$/);
});

Deno.test("json scan --labels selects policies", async () => {
  const { out } = await ran(...scan, "--pre-process", "resources", "--labels", "team=storage");
  assert.match(out, /evaluating 3 resources against 1 policy/);
  assert.doesNotMatch(out, /tags/);
});

Deno.test("json scan --labels and --pre-process take lists with commas", async () => {
  const { out } = await ran(...scan, "--pre-process", "resources,[0]", "--labels", "team=storage,team");
  assert.match(out, /evaluating 1 resource against 1 policy/);
});

Deno.test("json scan --bindings passes values to expressions", async () => {
  const files = {
    "policy.yaml": `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: { name: bound }
spec:
  rules:
  - name: region
    assert: { all: [{ check: { region: ($limits.region) } }] }
`,
    "payload.yaml": "- { region: eu-1 }\n- { region: us-1 }\n",
    "bindings.yaml": "limits: { region: eu-1 }\nstage: test\n",
    "list.yaml": "- a\n",
  };
  await inFolder(files, async (run) => {
    const args = ["json", "scan", "--policy", "@policy.yaml", "--payload", "@payload.yaml"];
    const { code, out } = await run(...args, "--bindings", "@bindings.yaml");
    assert.match(
      out,
      /Loading bindings \.\.\.\n- limits -> map\[region:eu-1\]\n- stage -> test\nLoading payload/,
    );
    assert.match(out, /\n- bound \/ region \/ {2}PASSED\n- bound \/ region \/ {2}FAILED: /);
    assert.equal(code, 1);
    assert.match((await run(...args)).out, /ERROR: .*limits/);
    const unusable = await run(...args, "--bindings", "@list.yaml");
    assert.deepEqual([unusable.code, unusable.err], [
      2,
      "error: --bindings list.yaml: it must hold one map of names and values",
    ]);
    assert.match(
      (await run(...args, "--bindings", "@missing.yaml")).err,
      /--bindings missing\.yaml: There is no/,
    );
  });
});

const refused: [what: string, args: readonly string[], message: RegExp][] = [
  ["a missing payload", ["--payload", join(folder, "missing.yaml")], /missing\.yaml/],
  [
    "expressions whose result is null",
    ["--pre-process", "nothing"],
    /preprocessor resulted in `null` payload \(nothing\)/,
  ],
  ["invalid expressions", ["--pre-process", "a b"], /failed to execute preprocessor \(a b\) - /],
  ["invalid selectors", ["--labels", "a in"], /--labels: /],
  ["labels that no policy has", ["--labels", "team=none"], /--labels team=none: no policy has such labels/],
  ["files without JSON policies", ["--policy", join(folder, "payload.yaml")], /no policies/],
];
for (const [what, args, message] of refused) {
  Deno.test(`json scan ends with 2 for ${what}`, async () => {
    const given = ["--policy", "--payload"].filter((option) => !args.includes(option)).flatMap((option) =>
      scan.slice(scan.indexOf(option), scan.indexOf(option) + 2)
    );
    const { code, err } = await ran("json", "scan", ...given, ...args);
    assert.equal(code, 2);
    assert.match(err, message);
  });
}

Deno.test("json scan says of a missing file that it is missing, and nothing else", async () => {
  const policies = scan.slice(2, 4);
  const payload = await ran("json", "scan", ...policies, "--payload", "missing.yaml");
  assert.match(payload.err, /^missing\.yaml:1:1: error missing-file: [^\n]*\n {2}hint: [^\n]*$/);
  const policy = await ran("json", "scan", ...scan.slice(4), "--policy", "missing.yaml");
  assert.match(policy.err, /^missing\.yaml:1:1: error missing-file: [^\n]*\n {2}hint: [^\n]*$/);
  assert.deepEqual([payload.code, policy.code], [2, 2]);
});
