import { standInOf } from "../bundled/mod.ts";

/** An import map with the project's imports, and with stand-ins for the modules of `lib/` that a bundle leaves out. */
export async function bundleImports(leftOut: readonly string[]): Promise<string> {
  const lib = new URL("../", import.meta.url);
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("../deno.json", lib))) as {
    readonly imports: Readonly<Record<string, string>>;
  };
  // An import map, unlike `deno.json`, needs a separate entry for the modules inside a package.
  const inside = Object.entries(imports).map((
    [name, target],
  ) => [`${name}/`, target.replace(/^npm:(.*)$/, "npm:/$1/")]);
  const standIns = leftOut.map((module) => [new URL(module, lib).href, new URL(standInOf(module), lib).href]);
  return JSON.stringify({ imports: { ...imports, ...Object.fromEntries([...inside, ...standIns]) } });
}
