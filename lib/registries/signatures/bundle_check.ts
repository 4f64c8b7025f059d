import type { Bundle } from "@sigstore/bundle";
import type { TrustMaterial } from "@sigstore/verify";
import { asList, asString, dig, field, type Json, parseJson } from "../../json/mod.ts";
import { sameBytes } from "../../bytes/mod.ts";
import { nameDefaultDigest } from "./digest_shim.ts";
import { base64Bytes, pemBlocks } from "./pem.ts";

/** A sigstore bundle and the keys that verify it, in plain values, so that it can be posted to a worker. */
export interface BundleQuery {
  /** JSON. */
  readonly bundle: string;
  /** The public key (DER) that must have signed. Without it the signer's certificate must lead to the trusted root. */
  readonly key: Uint8Array | undefined;
  /** The trusted root's JSON; empty for none. */
  readonly trustedRoot: string;
  readonly needs: {
    readonly log: boolean;
    /** A log entry with a promise, or a timestamp. */
    readonly observedTime: boolean;
    readonly certificateTimestamp: boolean;
  };
}

/** The payload of a sigstore bundle whose signature and proofs verify, or why they do not. */
export type BundleAnswer =
  | {
    readonly ok: true;
    readonly payloadType: string;
    readonly payload: Uint8Array;
    /** The signer's certificate: DER. */
    readonly certificate: Uint8Array | undefined;
  }
  | { readonly ok: false; readonly why: string };

const emptyRoot = JSON.stringify({
  mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
  tlogs: [],
  certificateAuthorities: [],
  ctlogs: [],
  timestampAuthorities: [],
});

/** Verifies sigstore bundles with envelopes. A check takes tens of milliseconds and blocks its thread. */
export class BundleCheck {
  /** Parsing the public trusted root takes longer than a check, and most queries have the same root. */
  #lastRoot: { readonly text: string; readonly material: TrustMaterial } | undefined;

  /** Verifies a bundle; never throws. */
  async run(query: BundleQuery): Promise<BundleAnswer> {
    nameDefaultDigest();
    const { Verifier, toSignedEntity } = await import("@sigstore/verify");
    const { bundleFromJSON } = await import("@sigstore/bundle");
    try {
      const bundle: Bundle = bundleFromJSON(parseJson(query.bundle));
      withoutIgnored(bundle, query.needs);
      if (bundle.content.$case !== "dsseEnvelope") return { ok: false, why: "the bundle holds no envelope" };
      const certificate = certificateOf(bundle);
      if ((certificate === undefined) !== (query.key !== undefined)) {
        return { ok: false, why: "the bundle is signed with another kind of key" };
      }
      const { log, observedTime, certificateTimestamp } = query.needs;
      const verifier = new Verifier(await this.#materialOf(query), {
        tlogThreshold: log ? 1 : 0,
        timestampThreshold: observedTime ? 1 : 0,
        ctlogThreshold: certificateTimestamp ? 1 : 0,
      });
      verifier.verify(toSignedEntity(bundle));
      const foreign = foreignEntry(bundle, certificate ?? query.key);
      if (foreign !== undefined) return { ok: false, why: foreign };
      const { payload, payloadType } = bundle.content.dsseEnvelope;
      return { ok: true, payloadType, payload: new Uint8Array(payload), certificate };
    } catch (cause) {
      return { ok: false, why: messageOf(cause) };
    }
  }

  /** The trusted root in the library's form; the last one is cached. */
  async #materialOf({ trustedRoot, key }: BundleQuery): Promise<TrustMaterial> {
    const text = trustedRoot === "" ? emptyRoot : trustedRoot;
    if (this.#lastRoot?.text !== text) {
      const { toTrustMaterial } = await import("@sigstore/verify");
      const { TrustedRoot } = await import("@sigstore/protobuf-specs");
      this.#lastRoot = { text, material: toTrustMaterial(TrustedRoot.fromJSON(parseJson(text))) };
    }
    const { material } = this.#lastRoot;
    if (key === undefined) return material;
    const { crypto } = await import("@sigstore/core");
    // The policy's key is the only one, whichever key hint the bundle has.
    const publicKey = crypto.createPublicKey(Buffer.from(key));
    return { ...material, publicKey: () => ({ publicKey, validFor: () => true }) };
  }
}

/**
 * Removes the log entries and timestamps that the query does not need: without the keys of their log or authority they
 * could not be verified, so they must not count.
 */
function withoutIgnored(
  { verificationMaterial }: Bundle,
  { log, observedTime }: BundleQuery["needs"],
): void {
  if (!log) verificationMaterial.tlogEntries = [];
  if (!observedTime) verificationMaterial.timestampVerificationData = undefined;
}

function certificateOf({ verificationMaterial: { content } }: Bundle): Uint8Array | undefined {
  switch (content.$case) {
    case "certificate":
      return new Uint8Array(content.certificate.rawBytes);
    case "x509CertificateChain":
      return new Uint8Array(content.x509CertificateChain.certificates[0]!.rawBytes);
    default:
      return undefined;
  }
}

/**
 * Why a log entry records another key than the bundle's; `undefined` when none does. The library compares only the hash
 * and signature of the entry, so it would accept the entry of another signer.
 */
function foreignEntry(bundle: Bundle, signer: Uint8Array | undefined): string | undefined {
  for (const { canonicalizedBody } of bundle.verificationMaterial.tlogEntries) {
    const spec = field(parseJson(canonicalizedBody.toString("utf8")), "spec");
    const recorded = [...olderSigners(spec), ...newerSigners(spec)];
    if (signer === undefined || !recorded.some((each) => sameBytes(each, signer))) {
      return "the log entry is about another key";
    }
  }
  return undefined;
}

/** The certificates and keys of the signers that an entry of Rekor 1 records: base64 of PEM. */
function olderSigners(spec: Json | undefined): Uint8Array[] {
  const envelope = asList(dig(spec, "content", "envelope", "signatures"))[0];
  return [
    field(asList(field(spec, "signatures"))[0], "verifier"),
    dig(spec, "signature", "publicKey", "content"),
    field(envelope, "publicKey"),
    field(spec, "publicKey"),
  ].flatMap((each) => derOf(asString(each)));
}

/** The certificates and keys of the signers that an entry of Rekor 2 records: base64 of DER. */
function newerSigners(spec: Json | undefined): Uint8Array[] {
  const verifiers = [
    field(asList(dig(spec, "dsseV002", "signatures"))[0], "verifier"),
    dig(spec, "hashedRekordV002", "signature", "verifier"),
  ];
  const texts = verifiers.flatMap((each) => [
    dig(each, "x509Certificate", "rawBytes"),
    dig(each, "publicKey", "rawBytes"),
  ]);
  return texts.flatMap((each) => base64Bytes(asString(each) ?? "") ?? []).filter((bytes) => bytes.length > 0);
}

/** Decodes base64 of PEM to DER. */
function derOf(text: string | undefined): Uint8Array[] {
  const bytes = base64Bytes(text ?? "");
  if (bytes === undefined) return [];
  const pem = new TextDecoder().decode(bytes);
  return ["CERTIFICATE", "PUBLIC KEY"].flatMap((type) => pemBlocks(pem, type).slice(0, 1));
}

/** The message of an exception, with that of its cause. */
function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return `${cause.message}${inner}`;
}
