/** Programs of tests with the stand-ins of a bundle, on Node.js and on workerd. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleTargets, leftOutModules, policyFacts } from "../../lib/bundled/mod.ts";
import { requiringAnywhere } from "../../lib/cli/bundle.ts";
import { bundleImports } from "../../lib/cli/bundle_imports.ts";
import { compile } from "../../lib/engine/mod.ts";
import { withFolder } from "../support/folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a program, whose imports are relative to this folder, and returns the JSON that it prints. */
export async function runOnNode(program: string, ...args: readonly string[]): Promise<unknown> {
  return await withFolder({}, async (folder) => {
    const file = await bundleProgram(program, "node", folder);
    const { stdout, stderr } = await new Deno.Command("node", { args: [file, ...args], stdin: "null" })
      .output();
    const text = new TextDecoder(), printed = text.decode(stdout);
    assert.notEqual(printed, "", text.decode(stderr));
    return JSON.parse(printed);
  });
}

/** Bundles a program for a target, whose imports are relative to this folder, and returns the path of the bundle. */
export async function bundleProgram(
  program: string,
  name: "node" | "workerd",
  folder: string,
): Promise<string> {
  const target = bundleTargets.find((each) => each.name === name)!;
  const map = join(folder, "imports.json"), entry = join(folder, "program.ts");
  const out = join(folder, "program.mjs");
  const source = program.replace(/(?<=from ")\.[^"]+/g, (path) => new URL(path, import.meta.url).href);
  await Deno.writeTextFile(map, await bundleImports(leftOutModules(policyFacts([], compile([])), target)));
  await Deno.writeTextFile(entry, source);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--config",
      join(root, "deno.json"),
      "--import-map",
      map,
      "--output",
      out,
      entry,
    ],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  await Deno.writeTextFile(out, requiringAnywhere(await Deno.readTextFile(out)));
  return out;
}
