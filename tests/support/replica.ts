/** Postern as the image starts it, for tests of its memory: from its bundle, with the settings of the Dockerfile. */
import { type Image, makeImage } from "./image.ts";
import { type ServerOptions, type ServerProcess, startServer } from "./server_process.ts";

let built: Promise<Image> | undefined;

/** Starts a replica; the bundle is made once for all that a test file starts. */
export async function startReplica(
  options: Pick<ServerOptions, "policies" | "args">,
): Promise<ServerProcess> {
  const { file, env } = await (built ??= build());
  return await startServer({ ...options, program: file, runtime: ["--cached-only"], env });
}

async function build(): Promise<Image> {
  const folder = await Deno.makeTempDir({ prefix: "postern-image-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  return await makeImage(folder);
}
