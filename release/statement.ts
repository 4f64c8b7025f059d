/** Makes in-toto statements about images. */
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

/** Makes a statement about images. */
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

/** The source, the builder and the inputs that a provenance names. */
export interface ProvenanceOptions {
  readonly source: Source;
  /** The builder, as a URI. */
  readonly builder: string;
  readonly platforms: readonly string[];
  readonly inputs: readonly Input[];
}

/**
 * Makes the provenance of images (SLSA 1.0): the commit and packages from which they were built, and the builder. It
 * has no time of the build, so that all builds of a commit have the same provenance.
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
