/** What the container runs: the bundle that the Dockerfile makes, with the settings that it gives to Deno and V8. */
import { root } from "./bench.ts";

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

/** Makes the bundle in a folder, as the Dockerfile does. */
export async function makeImage(folder: string): Promise<Image> {
  const engine = `${folder}/engine.cjs`, file = `${folder}/postern.js`;
  const args = ["bundle", "--quiet", "--minify", "--format", "cjs", "--output", engine, "image/main.ts"];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
  if (!success) throw new Error(`the bundle cannot be made: ${new TextDecoder().decode(stderr)}`);
  await Deno.copyFile(`${root}image/postern.js`, file);
  return { file, env: await imageSettings() };
}

/** The environment that the Dockerfile sets. */
export async function imageSettings(): Promise<Record<string, string>> {
  const text = await Deno.readTextFile(`${root}Dockerfile`);
  const [, settings = ""] = /^ENV ((?:.*\\\n)*.*)$/m.exec(text) ?? [];
  const pairs = settings.split(/[\s\\]+/).filter((pair) => pair !== "").map((pair) => pair.split(/=(.*)/));
  const env = Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]));
  if (env["DENO_V8_FLAGS"] === undefined) throw new Error("the Dockerfile sets no DENO_V8_FLAGS");
  return env;
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
