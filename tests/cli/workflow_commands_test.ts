/** Texts of a change that a pipeline runs commands for, such as GitHub's: they stay texts. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { withoutCommands } from "../../lib/cli/workflow_commands.ts";
import { policy } from "./team_policies.ts";

const texts: Readonly<Record<string, readonly [text: string, shown: string]>> = {
  "a command in its second line": ["a\n::add-mask::b", "a\\n::add-mask::b"],
  "a command behind spaces": ["a\r\n \t::add-mask::b", "a\\n \t::add-mask::b"],
  "a command at its start": ["::add-mask::b", "./::add-mask::b"],
  "a command of an older form": ["a ##[add-mask]b ##vso[c]", "a # #[add-mask]b # #vso[c]"],
  "no command": ["a::b\n  c ::d\n# e ## f", "a::b\n  c ::d\n# e ## f"],
};

for (const [what, [text, shown]] of Object.entries(texts)) {
  Deno.test(`a text with ${what} is no command`, () => assert.equal(withoutCommands(text), shown));
}

Deno.test("names of files and keys of a change are no commands of a pipeline", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    const change = join(folder, "change");
    await Deno.mkdir(change);
    await Deno.writeTextFile(join(folder, "policy.yaml"), policy);
    await Deno.writeTextFile(join(change, "a\n::add-mask::b.yaml"), "a: [\n");
    await Deno.writeTextFile(join(change, "keys.yaml"), '"\\n::debug::c": 1\n"\\n::debug::c": 2\n');
    const main = join(import.meta.dirname!, "..", "..", "main.ts");
    const { stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "-A", main, "apply", "policy.yaml", "--resource", "change", "--output", "github=-"],
      cwd: folder,
      stdin: "null",
    }).output();
    const err = new TextDecoder().decode(stderr), out = new TextDecoder().decode(stdout);
    assert.match(err, /add-mask[^]*debug/);
    assert.doesNotMatch(err, /^\s*::/m);
    assert.match(out, /^::error file=/m, "Postern's are");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
