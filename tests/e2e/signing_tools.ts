/**
 * A real registry server, cosign and notation, where they were built: `tests/e2e/image_tools` builds them, and
 * `IMAGE_TOOLS` names their folder.
 */
import { join } from "node:path";

/** Where programs for images are; a signing tool may be missing. */
export interface ImageTools {
  readonly registry: string;
  readonly cosign: string | undefined;
  readonly notation: string | undefined;
}

/** The programs; `undefined` without a registry server. What is missing is said loudly. */
export function imageTools(): ImageTools | undefined {
  const folder = Deno.env.get("IMAGE_TOOLS") ?? "";
  const [registry, cosign, notation] = ["registry", "cosign", "notation"].map((name) => {
    const path = join(folder, name);
    if (folder !== "" && isFile(path)) return path;
    // deno-lint-ignore no-console
    console.warn(`\n*** tests with signing tools skipped: no ${name} in IMAGE_TOOLS ***\n`);
    return undefined;
  });
  return registry === undefined ? undefined : { registry, cosign, notation };
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Runs a program; an exception with what it printed when it fails. */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd, env }).output();
  const text = new TextDecoder().decode(stdout), problem = new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${problem}${text}`);
  return text;
}

/** A registry server on a free port, and how to end it. */
export interface RegistryServer {
  readonly host: string;
  stop(): Promise<void>;
}

/** Starts go-containerregistry's registry, which keeps everything in memory. */
export async function startRegistry(program: string): Promise<RegistryServer> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const child = new Deno.Command(program, { args: ["-port", String(port)], stdout: "null", stderr: "null" })
    .spawn();
  const host = `127.0.0.1:${port}`;
  for (let tries = 0; tries < 50; tries++) {
    const answered = await fetch(`http://${host}/v2/`).then(async (answer) => {
      await answer.body?.cancel();
      return answer.ok;
    }, () => false);
    if (answered) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    host,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

/** Pushes a small image; its digest. */
export async function pushImage(host: string, repository: string, tag: string): Promise<string> {
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: [] },
  });
  const layer = `layer of ${repository}:${tag}`;
  const blobs = [await pushBlob(host, repository, config), await pushBlob(host, repository, layer)];
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.oci.image.config.v1+json", ...blobs[0] },
    layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", ...blobs[1] }],
  });
  const answer = await fetch(`http://${host}/v2/${repository}/manifests/${tag}`, {
    method: "PUT",
    headers: { "content-type": "application/vnd.oci.image.manifest.v1+json" },
    body: manifest,
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`PUT manifest: ${answer.status}`);
  return await digestOf(manifest);
}

async function pushBlob(
  host: string,
  repository: string,
  content: string,
): Promise<{ readonly digest: string; readonly size: number }> {
  const begun = await fetch(`http://${host}/v2/${repository}/blobs/uploads/`, { method: "POST" });
  await begun.body?.cancel();
  const location = new URL(begun.headers.get("location") ?? "", `http://${host}`);
  const digest = await digestOf(content);
  location.searchParams.set("digest", digest);
  const put = await fetch(location, { method: "PUT", body: content });
  await put.body?.cancel();
  if (!put.ok) throw new Error(`PUT blob: ${put.status}`);
  return { digest, size: new TextEncoder().encode(content).length };
}

async function digestOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256:${new Uint8Array(hash).toHex()}`;
}
