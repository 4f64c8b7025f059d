/**
 * A release as an OCI image layout: images, an index of them, an SBOM and provenance, and signatures if a key is given.
 */
import type { KeyObject } from "node:crypto";
import { fileURLToPath } from "node:url";
import { bundledPackages } from "./bundled_packages.ts";
import { parseDockerfile } from "./dockerfile.ts";
import type { PlatformInputs } from "./inputs.ts";
import { type Descriptor, mediaType, OciLayout } from "./oci_layout.ts";
import { makePlatformImage } from "./platform_image.ts";
import { sbomOf } from "./sbom.ts";
import { attest, signImage } from "./signing.ts";
import type { Source } from "./source.ts";
import { predicateType, provenanceOf, statementAbout } from "./statement.ts";

const dockerfile = fileURLToPath(new URL("../Dockerfile", import.meta.url));

/** The source, the inputs and the target of a release. */
export interface ReleaseOptions {
  /** The folder of the layout; it is emptied. */
  readonly folder: string;
  /** The repository to which it will be pushed, which signatures and statements name: `registry.example/postern`. */
  readonly name: string;
  readonly source: Source;
  readonly inputs: readonly PlatformInputs[];
  /** The builder, as a URI. The provenance names it. */
  readonly builder: string;
  /** Signs the index and each image; without it SBOM and provenance are attached unsigned. */
  readonly key?: KeyObject;
}

/** The index of a release, and its image for each platform. */
export interface Release {
  readonly index: Descriptor;
  readonly images: readonly Descriptor[];
}

/** Makes the layout of a release. The same source and inputs give the same bytes. */
export async function makeRelease(options: ReleaseOptions): Promise<Release> {
  const { folder, source, inputs } = options;
  const layout = await OciLayout.create(folder);
  const settings = parseDockerfile(await Deno.readTextFile(dockerfile));
  const images: { readonly inputs: PlatformInputs; readonly image: Descriptor }[] = [];
  for (const each of inputs) {
    const image = await makePlatformImage({ layout, inputs: each, dockerfile: settings, source });
    images.push({ inputs: each, image });
  }
  const manifests = images.map(({ image }) => image);
  const index = await layout.offer(
    { schemaVersion: 2, mediaType: mediaType.index, manifests },
    source.version,
  );
  const sbom = sbomOf({ source, index, images, packages: await bundledPackages() });
  await describe(layout, { options, index, manifests, sbom });
  await layout.close();
  return { index, images: manifests };
}

/** Attaches SBOM and provenance to the index. With a key it also signs the index and each image. */
async function describe(
  layout: OciLayout,
  { options, index, manifests, sbom }: {
    readonly options: ReleaseOptions;
    readonly index: Descriptor;
    readonly manifests: readonly Descriptor[];
    readonly sbom: ReturnType<typeof sbomOf>;
  },
): Promise<void> {
  const { name, key, source, builder, inputs } = options;
  const all = [index, ...manifests];
  const predicate = provenanceOf({
    source,
    builder,
    platforms: inputs.map(({ platform }) => `linux/${platform.architecture}`),
    inputs: inputs.flatMap((each) => each.inputs),
  });
  const provenance = statementAbout(all, { name, type: predicateType.provenance, predicate });
  await attach(layout, { subject: index, type: "application/spdx+json", content: sbom });
  await attach(layout, { subject: index, type: "application/vnd.in-toto+json", content: provenance });
  if (key === undefined) return;
  const statements = [provenance, statementAbout(all, { name, type: predicateType.sbom, predicate: sbom })];
  for (const image of all) {
    await signImage(layout, { image, name, key });
    await attest(layout, { image, statements, key });
  }
}

/** Adds a document to the layout as a referrer of an image (OCI 1.1). */
async function attach(
  layout: OciLayout,
  { subject, type, content }: {
    readonly subject: Descriptor;
    readonly type: string;
    readonly content: unknown;
  },
): Promise<void> {
  await layout.offer({
    schemaVersion: 2,
    mediaType: mediaType.manifest,
    artifactType: type,
    config: await layout.put(mediaType.empty, "{}"),
    layers: [await layout.putJson(type, content)],
    subject,
  });
}
