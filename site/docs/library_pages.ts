import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Writes the reference of the library, made from the doc comments of what the package exports. */
export async function buildLibraryPages(out: string): Promise<void> {
  const { exports } = JSON.parse(await Deno.readTextFile(join(root, "deno.json"))) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  const { success, stderr } = await new Deno.Command("deno", {
    args: ["doc", "--quiet", "--html", "--name=Postern", `--output=${out}`, ...Object.values(exports)],
    cwd: root,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`deno doc failed: ${new TextDecoder().decode(stderr)}`);
}
