import { join } from "node:path";

/** The policies of this repository, as one text. */
export async function shippedPolicies(): Promise<string> {
  const folder = new URL("../../policies/", import.meta.url).pathname;
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  const texts = names.map((name) => Deno.readTextFile(join(folder, name, `${name}.yaml`)));
  return (await Promise.all(texts)).join("\n---\n");
}
