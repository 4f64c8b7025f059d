/** Makes the SBOM of a release as an SPDX 2.3 document. */
import type { BundledPackage } from "./bundled_packages.ts";
import { sha256 } from "./digest.ts";
import type { Input, PlatformInputs } from "./inputs.ts";
import type { Descriptor } from "./oci_layout.ts";
import type { Source } from "./source.ts";

/** The images and packages that an SBOM lists. */
export interface SbomOptions {
  readonly source: Source;
  readonly index: Descriptor;
  readonly images: readonly { readonly inputs: PlatformInputs; readonly image: Descriptor }[];
  readonly packages: readonly BundledPackage[];
}

interface SpdxPackage {
  readonly SPDXID: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly downloadLocation: "NOASSERTION";
  readonly filesAnalyzed: false;
  readonly licenseConcluded: "NOASSERTION";
  readonly licenseDeclared: string;
  readonly copyrightText: "NOASSERTION";
  readonly checksums?: readonly { readonly algorithm: "SHA256"; readonly checksumValue: string }[];
  readonly externalRefs?: readonly Readonly<Record<string, string>>[];
}

type Relationship = readonly [from: string, type: "DESCRIBES" | "CONTAINS" | "VARIANT_OF", to: string];

/** Makes the SBOM of the images of all platforms. */
export function sbomOf({ source, index, images, packages }: SbomOptions): Readonly<Record<string, unknown>> {
  const listed: SpdxPackage[] = [imagePackage("SPDXRef-Index", index, source)];
  const relations: Relationship[] = [["SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Index"]];
  const bundled = packages.map(bundledPackage);
  listed.push(...bundled);
  for (const { inputs: { platform, inputs }, image } of images) {
    const id = `SPDXRef-Image-${platform.architecture}`;
    listed.push(imagePackage(id, image, source));
    relations.push([id, "VARIANT_OF", "SPDXRef-Index"]);
    const contents = inputs.map((input) => inputPackage(input, platform.architecture));
    listed.push(...contents);
    for (const { SPDXID } of [...contents, ...bundled]) relations.push([id, "CONTAINS", SPDXID]);
  }
  const name = `postern-${source.version}`;
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name,
    documentNamespace: `https://spdx.org/spdxdocs/${name}-${sha256(index.digest).slice(0, 32)}`,
    creationInfo: {
      created: source.date.toISOString().replace(/\.\d+Z$/, "Z"),
      creators: [`Tool: postern-release-${source.version}`],
    },
    packages: listed,
    relationships: relations.map(([spdxElementId, relationshipType, relatedSpdxElement]) => ({
      spdxElementId,
      relationshipType,
      relatedSpdxElement,
    })),
  };
}

function imagePackage(SPDXID: string, { digest, platform }: Descriptor, { version }: Source): SpdxPackage {
  const query = platform === undefined ? "" : `?arch=${platform.architecture}`;
  return {
    ...common({ SPDXID, name: "postern", version, license: "Apache-2.0" }),
    checksums: [{ algorithm: "SHA256", checksumValue: digest.slice("sha256:".length) }],
    externalRefs: [purl(`pkg:oci/postern@${encodeURIComponent(digest)}${query}`)],
  };
}

function inputPackage(input: Input, architecture: string): SpdxPackage {
  const { name, version, license } = input;
  return {
    ...common({ SPDXID: idOf(`${name}-${architecture}`), name, version, license }),
    checksums: [{ algorithm: "SHA256", checksumValue: input.sha256 }],
    externalRefs: [purl(input.purl)],
  };
}

function bundledPackage({ name, version, license }: BundledPackage): SpdxPackage {
  return {
    ...common({ SPDXID: idOf(`npm-${name}-${version}`), name, version, license }),
    externalRefs: [purl(`pkg:npm/${name.replace("@", "%40")}@${version}`)],
  };
}

function common(
  { SPDXID, name, version, license }: {
    readonly SPDXID: string;
    readonly name: string;
    readonly version: string;
    readonly license: string | undefined;
  },
): SpdxPackage {
  return {
    SPDXID,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license ?? "NOASSERTION",
    copyrightText: "NOASSERTION",
  };
}

function purl(locator: string): Readonly<Record<string, string>> {
  return { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: locator };
}

/** Makes an SPDX identifier, which has letters, digits, dots and hyphens alone. */
function idOf(text: string): string {
  return `SPDXRef-${text.replace(/[^A-Za-z0-9.-]+/g, "-")}`;
}
