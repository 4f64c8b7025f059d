/** What the container runs: the bundle that the Dockerfile makes, with the settings that it gives to Deno and V8. */
import { parseDockerfile } from "../../release/dockerfile.ts";
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
  const env = await imageSettings();
  await bundle(folder, "--format", "cjs", "--output", "engine.cjs", "image/main.ts");
  const checker = "lib/adapters/signatures/bundle_worker.ts";
  await bundle(folder, "--format", "cjs", "--output", "bundle_worker.cjs", checker);
  await bundle(folder, "--output", "probes.js", "lib/listener/probe_worker.ts");
  for (const name of ["engine.js", "postern.js", "code_cache.js"]) {
    await Deno.copyFile(`${root}image/${name}`, `${folder}/${name}`);
  }
  const { DENO_V8_FLAGS = "" } = env;
  await deno(["run", "--no-code-cache", "--allow-read", "--allow-write", `${folder}/code_cache.js`], {
    DENO_V8_FLAGS,
  });
  return { file: `${folder}/postern.js`, env };
}

async function bundle(folder: string, ...what: readonly string[]): Promise<void> {
  const args = what.map((each, index) => what[index - 1] === "--output" ? `${folder}/${each}` : each);
  await deno(["bundle", "--quiet", "--minify", ...args], {});
}

async function deno(args: readonly string[], env: Record<string, string>): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args: [...args], cwd: root, env })
    .output();
  if (!success) throw new Error(`the image cannot be made: ${new TextDecoder().decode(stderr)}`);
}

/** The environment that the Dockerfile sets. */
export async function imageSettings(): Promise<Record<string, string>> {
  const { env } = parseDockerfile(await Deno.readTextFile(`${root}Dockerfile`));
  if (env["DENO_V8_FLAGS"] === undefined) throw new Error("the Dockerfile sets no DENO_V8_FLAGS");
  // A container has no such variable; with it each process reads these authorities when it starts.
  return { ...env, NODE_EXTRA_CA_CERTS: "" };
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
    args: ["run", "--cached-only", "--no-code-cache", ...permissions, file, "serve", ...options],
    env,
  };
}

/** Starts a floor with the settings of the image, and a certificate that it makes itself or that a folder keeps. */
export function floorCommand(
  { env }: Image,
  kind: "echo" | "hono" | "allow" | "patch",
  certificates?: string,
): Command {
  const folder = certificates === undefined ? [] : [certificates];
  // Its modules are not bundled, so it needs the cache.
  const { DENO_DIR: _none, ...rest } = env;
  return { args: ["run", ...permissions, "tests/bench/floor.ts", kind, "PORT", ...folder], env: rest };
}
