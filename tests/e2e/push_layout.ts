import { join } from "node:path";
import type { Descriptor } from "../../release/oci_layout.ts";

interface Manifest {
  readonly mediaType: string;
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
  readonly manifests?: readonly Descriptor[];
}

/**
 * Pushes an OCI image layout to a registry, as `skopeo copy` does: what a manifest refers to before the manifest, each
 * under its digest, and what the layout offers under its tag.
 */
export async function pushLayout(folder: string, host: string, repository: string): Promise<void> {
  const contentOf = (digest: string): Promise<Uint8Array<ArrayBuffer>> =>
    Deno.readFile(join(folder, "blobs", digest.replace(":", "/")));
  const index: Manifest = JSON.parse(await Deno.readTextFile(join(folder, "index.json")));
  const pushed = new Set<string>();
  for (const each of index.manifests ?? []) {
    await pushManifest(each, each.annotations?.["org.opencontainers.image.ref.name"]);
  }

  async function pushManifest({ digest, mediaType }: Descriptor, tag?: string): Promise<void> {
    const content = await contentOf(digest);
    const manifest: Manifest = JSON.parse(new TextDecoder().decode(content));
    for (const each of manifest.manifests ?? []) await pushManifest(each);
    for (const each of [manifest.config ?? [], manifest.layers ?? []].flat()) await pushBlob(each);
    await send(`/v2/${repository}/manifests/${tag ?? digest}`, content, mediaType);
  }

  async function pushBlob({ digest }: Descriptor): Promise<void> {
    if (pushed.has(digest)) return;
    pushed.add(digest);
    const begun = await fetch(`http://${host}/v2/${repository}/blobs/uploads/`, { method: "POST" });
    await begun.body?.cancel();
    const upload = new URL(begun.headers.get("location") ?? "", `http://${host}`);
    upload.searchParams.set("digest", digest);
    await send(upload.href, await contentOf(digest), "application/octet-stream");
  }

  async function send(path: string, body: Uint8Array<ArrayBuffer>, type: string): Promise<void> {
    const url = new URL(path, `http://${host}`);
    const answer = await fetch(url, { method: "PUT", headers: { "content-type": type }, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${text}`);
  }
}
