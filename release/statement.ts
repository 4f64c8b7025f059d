/** What is said of images, as in-toto statements. */
import type { Input } from "./inputs.ts";
import type { Descriptor } from "./oci_layout.ts";
import type { Source } from "./source.ts";

/** An in-toto statement. */
export interface InTotoStatement {
  readonly _type: "https://in-toto.io/Statement/v1";
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: Readonly<Record<string, unknown>>;
}

/** The types of statements that a release makes. */
export const predicateType = {
  sbom: "https://spdx.dev/Document",
  provenance: "https://slsa.dev/provenance/v1",
} as const;

/** A statement about images. */
export function statementAbout(
  images: readonly Descriptor[],
  { name, type, predicate }: {
    readonly name: string;
    readonly type: string;
    readonly predicate: InTotoStatement["predicate"];
  },
): InTotoStatement {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: images.map(({ digest }) => ({ name, digest: { sha256: digest.slice("sha256:".length) } })),
    predicateType: type,
    predicate,
  };
}

/** What the provenance of images says. */
export interface ProvenanceOptions {
  readonly source: Source;
  /** Who built them, as a URI. */
  readonly builder: string;
  readonly platforms: readonly string[];
  readonly inputs: readonly Input[];
}

/**
 * The provenance of images (SLSA 1.0): from which commit and packages, by whom. It has no time of the build, so that it
 * is the same for all builds of a commit.
 */
export function provenanceOf(
  { source, builder, platforms, inputs }: ProvenanceOptions,
): InTotoStatement["predicate"] {
  return {
    buildDefinition: {
      buildType: "urn:postern:release-image:v1",
      externalParameters: { version: source.version, platforms },
      internalParameters: { sourceDateEpoch: source.date.getTime() / 1_000, deno: Deno.version.deno },
      resolvedDependencies: [
        { uri: "git+urn:postern", digest: { gitCommit: source.revision } },
        ...inputs.map(({ purl, sha256 }) => ({ uri: purl, digest: { sha256 } })),
      ],
    },
    runDetails: { builder: { id: builder } },
  };
}
