import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";

Deno.test("serve ends with code 2 when a path of --policies is not there", async () => {
  const said: string[] = [];
  const path = `${Deno.cwd()}/nowhere-at-all`;
  const terminal = { out: () => {}, err: (line: string) => void said.push(line) };
  assert.equal(await run(["serve", "--policies", "policies", "--policies", path], terminal), 2);
  assert.equal(said.at(-1), `error: --policies ${path}: there is no such file or folder`);
});
