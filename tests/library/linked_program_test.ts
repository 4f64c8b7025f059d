/** A program of Deno that links a checkout, as docs/library.md says, and has no compiler options of its own. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parseJsonText } from "../../lib/json/mod.ts";
import { withFolder } from "../support/folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { exports } = parseJsonText(Deno.readTextFileSync(`${root}/deno.json`)) as {
  readonly exports: Readonly<Record<string, string>>;
};

Deno.test("deno check accepts every entry in a program with Deno's own compiler options", async () => {
  const entries = Object.keys(exports).map((name) => name.replace(/^\./, "@postern/postern"));
  const files = {
    "deno.json": JSON.stringify({
      links: [root],
      imports: {
        "@postern/postern": "jsr:@postern/postern@0.1.0",
        "@postern/postern/": "jsr:/@postern/postern@0.1.0/",
      },
    }),
    "program.ts": entries.map((entry) => `import "${entry}";\n`).join(""),
  };
  await withFolder(files, async (folder) => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--no-lock", "program.ts"],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    assert(success, new TextDecoder().decode(stderr));
  });
});
