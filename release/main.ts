/**
 * Makes the parts of a release: `deno task release image|npm|notes`.
 *
 * - `image --out FOLDER [--name REPOSITORY] [--key FILE] [--builder URI]`: an OCI image layout; `SIGNING_PASSPHRASE`
 *   decrypts an encrypted key.
 * - `npm --out FOLDER`: a package for `npm publish`.
 * - `notes [VERSION]`: prints the changelog's section of a version, by default that of `deno.json`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fetchInputs, type PlatformInputs, platforms } from "./inputs.ts";
import { makeRelease } from "./image.ts";
import { releaseNotes } from "./notes.ts";
import { makeNpmPackage } from "./npm_package.ts";
import { readSigningKey } from "./signing.ts";
import { readSource, readVersion } from "./source.ts";

const changelog = fileURLToPath(new URL("../CHANGELOG.md", import.meta.url));

const { values, positionals: [task, ...rest] } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    name: { type: "string", default: "postern" },
    key: { type: "string" },
    builder: { type: "string", default: "urn:postern:local-build" },
  },
});

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

async function image(folder: string): Promise<void> {
  const downloads = await Deno.makeTempDir({ prefix: "postern-release-" });
  try {
    const inputs: PlatformInputs[] = [];
    for (const each of platforms) inputs.push(await fetchInputs(each, join(downloads, each.architecture)));
    const key = values.key === undefined
      ? undefined
      : readSigningKey(await Deno.readTextFile(values.key), Deno.env.get("SIGNING_PASSPHRASE"));
    const { name, builder } = values;
    const source = await readSource();
    const { index, images } = await makeRelease({
      folder,
      name,
      builder,
      source,
      inputs,
      ...(key !== undefined && { key }),
    });
    print(`${index.digest}  ${name}:${source.version}\n`);
    for (const { digest, platform } of images) print(`${digest}  linux/${platform!.architecture}\n`);
  } finally {
    await Deno.remove(downloads, { recursive: true });
  }
}

switch (task) {
  case "image":
    await image(values.out ?? "dist/image");
    break;
  case "npm":
    print(`${await makeNpmPackage(values.out ?? "dist/npm")}\n`);
    break;
  case "notes":
    print(releaseNotes(await Deno.readTextFile(changelog), rest[0] ?? await readVersion()));
    break;
  default:
    print(
      "deno task release image|npm|notes [--out FOLDER] [--name REPOSITORY] [--key FILE] [--builder URI]\n",
    );
    Deno.exitCode = 2;
}
