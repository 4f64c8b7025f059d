import { join } from "node:path";
import { toYaml } from "../yaml/mod.ts";
import type { Output } from "../apply/mod.ts";

/**
 * Writes objects as YAML: all into one file when the path is that of a `.yaml` or `.yml` file, otherwise each into the
 * file of its name in that folder. Files that are there are replaced, others in the folder stay. The text says what went
 * wrong when nothing could be written.
 */
export async function writeOutputs(outputs: readonly Output[], path: string): Promise<string | undefined> {
  const isFile = /\.ya?ml$/.test(path);
  const files = Map.groupBy(outputs, ({ file }) => isFile ? path : join(path, `${plainName(file)}.yaml`));
  try {
    if (!isFile) await Deno.mkdir(path, { recursive: true });
    else if (files.size === 0) files.set(path, []);
    for (const [file, parts] of files) {
      await Deno.writeTextFile(
        file,
        parts.map(({ object }) => `${toYaml(object).trimEnd()}\n---\n`).join(""),
      );
    }
    return undefined;
  } catch (cause) {
    return `cannot write to ${path}: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** A name that stays in its folder, whatever an object calls itself. */
function plainName(name: string): string {
  return name.replace(/[/\\\0]/g, "_").replace(/^\.+/, "_");
}
