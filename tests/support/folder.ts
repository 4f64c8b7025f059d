import { dirname, join } from "node:path";

/** Works in a folder that holds these files, by their paths in it, and deletes the folder at the end. */
export async function withFolder<T>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, text);
    }
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
