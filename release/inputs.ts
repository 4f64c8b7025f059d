/** Downloads the parts of an image that are not this project: Deno, and Debian's C library and init process. */
import { join } from "node:path";
import { sha256 } from "./digest.ts";
import { output } from "./process.ts";

/** A platform that images are made for. */
export interface Platform {
  /** The name that OCI and Debian use. */
  readonly architecture: "amd64" | "arm64";
  /** The npm package with Deno for this platform. Not every version of Deno is published for each platform. */
  readonly deno: { readonly name: string; readonly version: string };
}

/** The platforms of a release. The npm registry has no Deno 2.9.6 for arm64: its image has the version before. */
export const platforms: readonly Platform[] = [
  { architecture: "amd64", deno: { name: "@deno/linux-x64-glibc", version: "2.9.6" } },
  { architecture: "arm64", deno: { name: "@deno/linux-arm64-glibc", version: "2.9.5" } },
];

/** Debian's packages whose files are in an image. */
const debianPackages = ["libc6", "libgcc-s1", "tini"];

/** A package that was downloaded. Its registry's client has checked its signature or digest. */
export interface Input {
  /** A package URL, as SBOMs and provenance name it: `pkg:deb/debian/libc6@2.36-9?arch=amd64`. */
  readonly purl: string;
  readonly name: string;
  readonly version: string;
  /** The digest of the archive, in hexadecimal digits. */
  readonly sha256: string;
  /** An SPDX expression, if the package has one. */
  readonly license: string | undefined;
}

/** The packages for a platform, unpacked. */
export interface PlatformInputs {
  readonly platform: Platform;
  readonly inputs: readonly Input[];
  /** The program `deno`. */
  readonly deno: string;
  /** A folder with the files of Debian's packages. */
  readonly root: string;
}

/**
 * Downloads and unpacks the packages for a platform with `npm` and `apt-get`, which check signatures and digests.
 * `apt-get` uses the machine's keys and sources, but keeps its lists of packages in the folder, so that the machine's
 * lists do not change.
 */
export async function fetchInputs(platform: Platform, folder: string): Promise<PlatformInputs> {
  const [archives, root, npm] = ["archives", "root", "npm"].map((name) => join(folder, name));
  for (const path of [archives!, root!, npm!]) await Deno.mkdir(path, { recursive: true });
  const deno = await denoPackage(platform, archives!, npm!);
  const debian = await debianArchives(platform, folder, archives!);
  const inputs = [deno];
  for (const file of debian) {
    await output("dpkg-deb", ["-x", file, root!]);
    inputs.push(await debianInput(file));
  }
  return { platform, inputs, deno: join(npm!, "package", "deno"), root: root! };
}

async function denoPackage({ deno }: Platform, archives: string, into: string): Promise<Input> {
  const packed = await output("npm", ["pack", `${deno.name}@${deno.version}`, "--json", "--silent"], {
    cwd: archives,
  });
  const [{ filename }] = JSON.parse(packed);
  const file = join(archives, filename);
  await output("tar", ["-xzf", file, "-C", into]);
  const { license } = JSON.parse(await Deno.readTextFile(join(into, "package", "package.json")));
  return {
    ...deno,
    purl: `pkg:npm/${deno.name.replace("@", "%40")}@${deno.version}`,
    sha256: sha256(await Deno.readFile(file)),
    license,
  };
}

async function debianArchives(
  { architecture }: Platform,
  folder: string,
  into: string,
): Promise<readonly string[]> {
  const lists = join(folder, "lists");
  await Deno.mkdir(join(lists, "partial"), { recursive: true });
  const options = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    `Dir::State::Lists=${lists}`,
    "Dir::State::status=/dev/null",
    "Dir::Cache::pkgcache=",
    "Dir::Cache::srcpkgcache=",
    "APT::Sandbox::User=",
  ].flatMap((option) => ["-o", option]);
  await output("apt-get", [...options, "-qq", "update"]);
  await output("apt-get", [...options, "-qq", "download", ...debianPackages], { cwd: into });
  const files = [...Deno.readDirSync(into)].map(({ name }) => name).filter((name) => name.endsWith(".deb"));
  return files.sort().map((name) => join(into, name));
}

async function debianInput(file: string): Promise<Input> {
  const fields = await output("dpkg-deb", ["-f", file, "Package", "Version", "Architecture"]);
  const [name, version, architecture] = fields.trim().split("\n").map((line) => line.replace(/^\S+: /, ""));
  return {
    name: name!,
    version: version!,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version!)}?arch=${architecture}`,
    sha256: sha256(await Deno.readFile(file)),
    license: undefined,
  };
}
