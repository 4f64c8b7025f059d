/** Writes an OCI image layout: a folder from which registries' tools copy (image-spec, image-layout.md). */
import { join } from "node:path";
import { digestOf } from "./digest.ts";

/** A reference to content of the layout, with its digest and size. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: "linux" };
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const mediaType = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  empty: "application/vnd.oci.empty.v1+json",
} as const;

/** A layout that is being written. Content is written at once, the index of its manifests at the end. */
export class OciLayout {
  readonly #folder: string;
  readonly #offered: Descriptor[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Begins a layout in a folder, which is emptied. */
  static async create(folder: string): Promise<OciLayout> {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.mkdir(join(folder, "blobs", "sha256"), { recursive: true });
    await Deno.writeTextFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    return new OciLayout(folder);
  }

  /** Writes content, and returns its descriptor. */
  async put(type: string, content: Uint8Array | string): Promise<Descriptor> {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const digest = digestOf(bytes);
    await Deno.writeFile(join(this.#folder, "blobs", digest.replace(":", "/")), bytes);
    return { mediaType: type, digest, size: bytes.length };
  }

  /** Writes JSON, and returns its descriptor. */
  async putJson(type: string, value: unknown): Promise<Descriptor> {
    return await this.put(type, JSON.stringify(value));
  }

  /** Writes a manifest and lists it in the layout's index, under a tag if one is given. */
  async offer(manifest: Readonly<Record<string, unknown>>, tag?: string): Promise<Descriptor> {
    const written = await this.putJson(String(manifest["mediaType"]), manifest);
    const { artifactType } = manifest;
    this.#offered.push({
      ...written,
      ...(typeof artifactType === "string" && { artifactType }),
      ...(tag !== undefined && { annotations: { "org.opencontainers.image.ref.name": tag } }),
    });
    return written;
  }

  /** Writes the layout's index. */
  async close(): Promise<void> {
    const index = { schemaVersion: 2, mediaType: mediaType.index, manifests: this.#offered };
    await Deno.writeTextFile(join(this.#folder, "index.json"), JSON.stringify(index));
  }
}
