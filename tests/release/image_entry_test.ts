/** The image's entry: it has the commands that need not write files. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("../../image/main.ts", import.meta.url));

async function entryWith(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-read", "--allow-env", entry, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

Deno.test("the image says that it has no fix", async () => {
  const { code, err } = await entryWith("fix", "policy", "policies");
  assert.equal(code, 2);
  assert.match(err, /^the image has no fix, because it may not write files: run fix from the repository/);
});

Deno.test("the image has the other commands", async () => {
  const { code, out } = await entryWith("version");
  assert.equal(code, 0);
  assert.match(out, /\d+\.\d+\.\d+/);
});
