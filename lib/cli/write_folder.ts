import { dirname, join } from "node:path";
import { fileProblem } from "../diagnostics/mod.ts";
import { Fault } from "../json/mod.ts";

/**
 * Writes files into a folder. The folder must be new or empty, or contain the first of the files, which shows that an
 * earlier run wrote it. A fault says why it cannot write. It keeps files of earlier runs that are not among these.
 */
export async function writeFolder(
  folder: string,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<undefined | Fault> {
  const present = await namesIn(folder);
  const first = files[0]?.path ?? "";
  if (present.length > 0 && !present.includes(first)) {
    return new Fault(`${folder}: it holds other files, and no ${first}`);
  }
  for (const { path, text } of files) {
    const file = join(folder, path);
    try {
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeTextFile(file, text);
    } catch (cause) {
      return new Fault(`cannot write to ${file}: ${fileProblem(cause, "write")}`);
    }
  }
  return undefined;
}

/** The names in the folder; none where it cannot be read, which writing into it then says. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch {
    return [];
  }
}
