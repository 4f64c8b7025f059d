import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { output } from "./process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A package of the npm registry whose code is in the image's bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The field of its `package.json`, in most packages an SPDX expression. */
  readonly license: string | undefined;
}

interface ModuleGraph {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<Record<string, GraphPackage>>;
}

interface GraphPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly localPath: string;
}

/** Returns the packages that the image's entry imports, with their dependencies, sorted by name. */
export async function bundledPackages(): Promise<readonly BundledPackage[]> {
  const text = await output(Deno.execPath(), ["info", "--json", "image/main.ts"], { cwd: root });
  const { modules, npmPackages }: ModuleGraph = JSON.parse(text);
  const open = modules.flatMap(({ npmPackage }) => npmPackage ?? []);
  const seen = new Map<string, GraphPackage>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const found = npmPackages[id];
    if (found === undefined || seen.has(id)) continue;
    seen.set(id, found);
    open.push(...found.dependencies);
  }
  const packages = await Promise.all([...seen.values()].map(async ({ name, version, localPath }) => {
    const { license } = JSON.parse(await Deno.readTextFile(join(localPath, "package.json")));
    return { name, version, license: typeof license === "string" ? license : undefined };
  }));
  return packages.sort((left, right) => left.name < right.name ? -1 : 1);
}
