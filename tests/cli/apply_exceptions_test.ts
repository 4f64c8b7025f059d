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
