/** `json scan`: JSON policies over any payload. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { golden, heard } from "./golden.ts";

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

Deno.test("json scan tells each rule's verdict on standard output, and ends with 1 when a check fails", async () => {
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

Deno.test("json scan --labels takes only policies that are selected", async () => {
  const { out } = await ran(...scan, "--pre-process", "resources", "--labels", "team=storage");
  assert.match(out, /evaluating 3 resources against 1 policy/);
  assert.doesNotMatch(out, /tags/);
});

const refused: [what: string, args: readonly string[], told: RegExp][] = [
  ["a payload that is not there", ["--payload", join(folder, "missing.yaml")], /missing\.yaml/],
  [
    "expressions that give null",
    ["--pre-process", "nothing"],
    /preprocessor resulted in `null` payload \(nothing\)/,
  ],
  ["expressions that are none", ["--pre-process", "a b"], /failed to execute preprocessor \(a b\) - /],
  ["selectors that are none", ["--labels", "a in"], /--labels: /],
  ["files without JSON policies", ["--policy", join(folder, "payload.yaml")], /no policies/],
];
for (const [what, args, told] of refused) {
  Deno.test(`json scan ends with 2 for ${what}`, async () => {
    const given = ["--policy", "--payload"].filter((option) => !args.includes(option)).flatMap((option) =>
      scan.slice(scan.indexOf(option), scan.indexOf(option) + 2)
    );
    const { code, err } = await ran("json", "scan", ...given, ...args);
    assert.equal(code, 2);
    assert.match(err, told);
  });
}
