import { gzipSync } from "node:zlib";
import { gzipAsync } from "@gfx/zopfli";
import { packTar, type TarEntry } from "modern-tar";
import { digestOf } from "./digest.ts";

/** A file of an image. */
export interface LayerFile {
  /** The path from the root, without a leading slash. */
  readonly path: string;
  readonly mode: 0o644 | 0o755;
  readonly content: Uint8Array;
}

/** A layer as it is stored. */
export interface Layer {
  /** The gzipped archive. */
  readonly content: Uint8Array;
  /** The digest of the archive before compression. */
  readonly diffId: string;
  /** A description of the content, for the image's history. */
  readonly about: string;
}

/**
 * Makes a layer with files and their folders. The same files give the same bytes: entries are sorted, belong to root,
 * and have the date of the source.
 */
export async function makeLayer(
  files: readonly LayerFile[],
  { about, date }: { readonly about: string; readonly date: Date },
): Promise<Layer> {
  const owner = { uid: 0, gid: 0, uname: "", gname: "", mtime: date };
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const entries: TarEntry[] = [
    ...[...folders].map((path): TarEntry => ({
      header: { ...owner, name: `${path}/`, type: "directory", mode: 0o755, size: 0 },
    })),
    ...files.map(({ path, mode, content }): TarEntry => ({
      header: { ...owner, name: path, type: "file", mode, size: content.length },
      body: content,
    })),
  ];
  entries.sort((left, right) => left.header.name < right.header.name ? -1 : 1);
  const archive = await packTar(entries);
  return { content: await gzip(archive), diffId: digestOf(archive), about };
}

/** The most bytes of an archive that Zopfli compresses: it takes some 4 seconds for 1 MB. */
const mostForZopfli = 16 * 1024 * 1024;

/**
 * Compresses an archive. The same archive gives the same bytes. Zopfli makes the layer with the bundle, which is new in
 * each release, 3 % smaller than zlib does. For the layer with Deno it would take minutes.
 */
async function gzip(archive: Uint8Array): Promise<Uint8Array> {
  if (archive.length > mostForZopfli) return gzipSync(archive, { level: 9 });
  return await gzipAsync(archive, { numiterations: 1 });
}

function foldersOf(path: string): string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}
