import { asList, asTextMap, field, isFault, type Json, textField } from "../../json/mod.ts";
import type { CachedContent } from "../registry/cached_content.ts";
import type { RegistryAccess } from "../registry/registry_reader.ts";
import { RegistryFault } from "../registry/registry_fault.ts";
import type { Manifest } from "../registry/content.ts";
import type { CosignSignature } from "./cosign_signature.ts";

/** The repository, the digest and the tag prefix by which signatures are read. */
export interface SignatureSource {
  readonly content: CachedContent;
  /** The image's repository, or the one that a policy names for signatures. */
  readonly access: RegistryAccess;
  readonly digest: string;
  readonly tagPrefix: string;
  /** The deadline, a time of `elapsedOn`. */
  readonly until: number;
}

/** `sig`: signatures. `att`: attestations. */
export type SignatureKind = "sig" | "att";

const maxSignatures = 50;
/** The most bytes of a payload. That of a signature names an image; that of an attestation may list packages. */
const maxPayloadBytes = { sig: 1_000_000, att: 10_000_000 };
const referrerType = "application/vnd.dev.cosign.artifact.sig.v1+json";

const annotation = {
  signature: "dev.cosignproject.cosign/signature",
  certificate: "dev.sigstore.cosign/certificate",
  chain: "dev.sigstore.cosign/chain",
  bundle: "dev.sigstore.cosign/bundle",
  timestamp: "dev.sigstore.cosign/rfc3161timestamp",
};

/** Reads the signatures that Cosign stores under a tag for an image; none when there is no such tag. */
export async function taggedSignatures(
  source: SignatureSource,
  kind: SignatureKind,
): Promise<readonly CosignSignature[] | RegistryFault> {
  const { content, access, digest, tagPrefix, until } = source;
  const prefix = tagPrefix === "" ? "" : `${tagPrefix}-`;
  const manifest = await content.signatures(access, `${prefix}${digest.replace(":", "-")}.${kind}`, until);
  if (isFault(manifest)) return manifest.status === 404 ? [] : manifest;
  return await layersOf(manifest, source, kind);
}

/** Reads the signatures that Cosign stores as a referrer (its experimental OCI 1.1 layout); `undefined` without any. */
export async function referringSignatures(
  source: SignatureSource,
): Promise<readonly CosignSignature[] | undefined> {
  const { content, access, digest, until } = source;
  const bounds = { artifactType: referrerType, most: maxSignatures, until };
  const referrers = await content.referrers(access, digest, bounds);
  if (isFault(referrers)) return undefined;
  const last = referrers.at(-1);
  if (last === undefined) return undefined;
  const manifest = await content.signatures(access, last.digest, until);
  if (isFault(manifest)) return undefined;
  const signatures = await layersOf(manifest, source, "sig");
  return Array.isArray(signatures) ? signatures as readonly CosignSignature[] : undefined;
}

async function layersOf(
  { value }: Manifest,
  { content, access, until }: SignatureSource,
  kind: SignatureKind,
): Promise<readonly CosignSignature[] | RegistryFault> {
  const layers = asList(value["layers"]).slice(0, maxSignatures);
  const read = await Promise.all(layers.map(async (layer) => {
    const digest = textField(layer, "digest");
    const payload = await content.blob(access, digest, { maxBytes: maxPayloadBytes[kind], until });
    return isFault(payload) ? payload : signatureOf(layer, digest, payload);
  }));
  const signatures: CosignSignature[] = [];
  for (const each of read) {
    if (each instanceof RegistryFault) return each;
    signatures.push(each);
  }
  return signatures;
}

function signatureOf(layer: Json, digest: string, payload: Uint8Array): CosignSignature {
  const annotations = asTextMap(field(layer, "annotations"));
  const text = (name: string): string => annotations[name] ?? "";
  return {
    digest,
    payload,
    annotations,
    signature: text(annotation.signature),
    certificate: text(annotation.certificate),
    chain: text(annotation.chain),
    bundle: text(annotation.bundle),
    timestamp: text(annotation.timestamp),
  };
}
