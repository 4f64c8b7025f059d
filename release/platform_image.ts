/** Makes the image of one platform: layers, configuration and manifest. */
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { makeAppFiles } from "./app_files.ts";
import type { Dockerfile } from "./dockerfile.ts";
import { linkedLibraries } from "./elf.ts";
import type { PlatformInputs } from "./inputs.ts";
import { type LayerFile, makeLayer } from "./layer.ts";
import { type Descriptor, mediaType, type OciLayout } from "./oci_layout.ts";
import type { Source } from "./source.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folder in which Debian keeps libraries, by architecture. */
const libraryFolder = { amd64: "lib/x86_64-linux-gnu", arm64: "lib/aarch64-linux-gnu" } as const;

/** The parts of an image, and the layout to which it is written. */
export interface PlatformImageOptions {
  readonly layout: OciLayout;
  readonly inputs: PlatformInputs;
  readonly dockerfile: Dockerfile;
  readonly source: Source;
}

/** Makes the image of a platform. Returns its descriptor, for the index of the release. */
export async function makePlatformImage(
  { layout, inputs, dockerfile, source }: PlatformImageOptions,
): Promise<Descriptor> {
  const { architecture } = inputs.platform;
  const { date } = source;
  const layers = [
    await makeLayer(await runtimeFiles(inputs), {
      about: "Deno and the libraries that it is linked with",
      date,
    }),
    await makeLayer(await appFiles(inputs, dockerfile), { about: "Postern", date }),
    await makeLayer(await policyFiles(), { about: "the policies that are served by default", date }),
  ];
  const created = date.toISOString();
  const { labels, env, user, ports, folder, entrypoint, command } = dockerfile;
  const config = await layout.putJson(mediaType.config, {
    architecture,
    os: "linux",
    created,
    config: {
      User: user,
      ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
      Env: Object.entries(env).map((pair) => pair.join("=")),
      Entrypoint: entrypoint,
      Cmd: command,
      WorkingDir: folder,
      Labels: {
        ...labels,
        "org.opencontainers.image.version": source.version,
        "org.opencontainers.image.revision": source.revision,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ about }) => ({ created, created_by: about })),
  });
  const written: Descriptor[] = [];
  for (const { content } of layers) written.push(await layout.put(mediaType.layer, content));
  const manifest = await layout.putJson(mediaType.manifest, {
    schemaVersion: 2,
    mediaType: mediaType.manifest,
    config,
    layers: written,
  });
  return { ...manifest, platform: { architecture, os: "linux" } };
}

/** Deno with its loader and libraries, the init process, and the configuration of name look-ups. */
async function runtimeFiles({ platform, deno, root: debian }: PlatformInputs): Promise<readonly LayerFile[]> {
  const libraries = libraryFolder[platform.architecture];
  const program = await Deno.readFile(deno);
  // This init process uses the C library, which Deno needs anyway; the static one is 0.3 MB larger.
  const init = await Deno.readFile(join(debian, "usr/bin/tini"));
  const files: LayerFile[] = [
    { path: "bin/deno", mode: 0o755, content: program },
    { path: "tini", mode: 0o755, content: init },
    { path: "etc/nsswitch.conf", mode: 0o644, content: new TextEncoder().encode("hosts: files dns\n") },
  ];
  const { loader, needed } = linkedLibraries(program);
  if (loader !== undefined) files.push(await libraryAt(debian, loader.slice(1)));
  const seen = new Set<string>(), open = [...needed, ...linkedLibraries(init).needed];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    // Libraries name the loader as a library, too.
    if (seen.has(name) || loader?.endsWith(`/${name}`)) continue;
    seen.add(name);
    const file = await libraryAt(debian, `${libraries}/${name}`);
    files.push(file);
    open.push(...linkedLibraries(file.content).needed);
  }
  return files;
}

async function libraryAt(debian: string, path: string): Promise<LayerFile> {
  return { path, mode: 0o755, content: await contentAt(debian, path) };
}

/** Reads a file of Debian's packages. A link leads to a path from the root of the file system, or beside the file. */
async function contentAt(debian: string, path: string): Promise<Uint8Array> {
  const { isSymlink } = await Deno.lstat(join(debian, path));
  if (!isSymlink) return await Deno.readFile(join(debian, path));
  const target = await Deno.readLink(join(debian, path));
  return await contentAt(debian, target.startsWith("/") ? target.slice(1) : join(path, "..", target));
}

async function appFiles(
  { platform, deno }: PlatformInputs,
  dockerfile: Dockerfile,
): Promise<readonly LayerFile[]> {
  const folder = await Deno.makeTempDir({ prefix: "postern-image-" });
  const runsHere = platform.architecture === { x86_64: "amd64", aarch64: "arm64" }[Deno.build.arch];
  try {
    const names = await makeAppFiles(folder, { dockerfile, deno: runsHere ? dirname(deno) : undefined });
    return await Promise.all(names.map(async (name): Promise<LayerFile> => ({
      path: `${dockerfile.folder.slice(1)}/${name}`,
      mode: 0o644,
      content: await Deno.readFile(join(folder, name)),
    })));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The policies, without their tests. */
async function policyFiles(): Promise<readonly LayerFile[]> {
  const paths = [...filesIn(join(root, "policies"))].filter((path) => !path.includes("/.kyverno-test/"))
    .sort();
  return await Promise.all(paths.map(async (path): Promise<LayerFile> => ({
    path: relative(root, path),
    mode: 0o644,
    content: await Deno.readFile(path),
  })));
}

function* filesIn(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesIn(join(folder, name));
    else yield join(folder, name);
  }
}
