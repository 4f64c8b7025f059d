import { mkdir, readdir, writeFile } from "node:fs/promises";
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
  try {
    const present = await readdir(folder).catch((): string[] => []);
    const first = files[0]?.path ?? "";
    if (present.length > 0 && !present.includes(first)) {
      return new Fault(`${folder}: it holds other files, and no ${first}`);
    }
    for (const { path, text } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return undefined;
  } catch (cause) {
    return new Fault(`${folder}: ${fileProblem(cause)}`);
  }
}
