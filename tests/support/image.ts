/** The program of the container: the bundle that the Dockerfile makes, with its settings for Deno and V8. */
import { dirname } from "node:path";
import { makeAppFiles } from "../../release/app_files.ts";
import { parseDockerfile } from "../../release/dockerfile.ts";
import { output } from "../../release/process.ts";

const root = new URL("../../", import.meta.url).pathname;

/** How to start a process: arguments of `deno`, in which PORT stands for the port, and what its environment adds. */
export interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The bundle of the image, and its settings. */
export interface Image {
  /** The file that Deno runs. */
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Makes the bundle in a folder, with its code cache, as the Dockerfile does. */
export async function makeImage(folder: string): Promise<Image> {
  const dockerfile = parseDockerfile(await Deno.readTextFile(`${root}Dockerfile`));
  await makeAppFiles(folder, { dockerfile, deno: dirname(Deno.execPath()) });
  return { file: `${folder}/postern.js`, env: await imageSettings(folder) };
}

/** The environment that the Dockerfile sets, for a folder that stands for the image's. */
async function imageSettings(folder: string): Promise<Record<string, string>> {
  const { env } = parseDockerfile(await Deno.readTextFile(`${root}Dockerfile`));
  if (env["DENO_V8_FLAGS"] === undefined) throw new Error("the Dockerfile sets no DENO_V8_FLAGS");
  // A container has no such variable; with it each process reads these authorities when it starts.
  return { ...env, DENO_DIR: env["DENO_DIR"]!.replace("/app", folder), NODE_EXTRA_CA_CERTS: "" };
}

/**
 * Wraps each bundle of a folder in a function, as the Dockerfile does, and adds the files of `image/` that call them.
 */
export async function addImageFiles(folder: string): Promise<void> {
  const { build } = parseDockerfile(await Deno.readTextFile(`${root}Dockerfile`));
  const wrap = build.find(([, text]) => text.includes(".function"))!;
  for (const name of ["engine", "packages", "bundle_worker"]) {
    await Deno.writeTextFile(`${folder}/${name}.cjs`, "", { append: true });
  }
  await output("sh", ["-ec", wrap[1]], { cwd: folder });
  for (const name of ["engine.js", "postern.js", "bundle_worker.js"]) {
    await Deno.copyFile(`${root}image/${name}`, `${folder}/${name}`);
  }
}

const permissions = ["--no-prompt", "--allow-read", "--allow-write", "--allow-env", "--allow-net"];

/** Starts `serve` as the image does, with TLS and a certificate that it makes itself. */
export function serveCommand(
  { file, env }: Image,
  policies: readonly string[],
  more: readonly string[] = [],
): Command {
  const options = ["--port", "PORT", "--metrics-port", "0", ...more, "--policies", policies.join(",")];
  return {
    args: ["run", "--cached-only", ...permissions, file, "serve", ...options],
    env,
  };
}

/** Starts a floor with the settings of the image, and a certificate that it makes itself or that a folder keeps. */
export function floorCommand(
  { env }: Image,
  kind: "tls" | "echo" | "hono" | "allow" | "patch",
  certificates?: string,
): Command {
  const folder = certificates === undefined ? [] : [certificates];
  // Its modules are not bundled, so it needs the cache.
  const { DENO_DIR: _none, ...rest } = env;
  return { args: ["run", ...permissions, "tests/bench/floor.ts", kind, "PORT", ...folder], env: rest };
}
