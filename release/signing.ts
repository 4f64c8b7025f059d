/** Signs images and attests statements about them in Cosign's layout: tags beside the image. */
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import type { Descriptor, OciLayout } from "./oci_layout.ts";
import { mediaType } from "./oci_layout.ts";
import type { InTotoStatement } from "./statement.ts";

const annotation = "dev.cosignproject.cosign/signature";

const cosignType = {
  signature: "application/vnd.dev.cosign.simplesigning.v1+json",
  envelope: "application/vnd.dsse.envelope.v1+json",
} as const;

/** Reads a private key in PEM (PKCS #8, or as OpenSSL writes it): EC P-256, RSA or Ed25519. */
export function readSigningKey(pem: string, passphrase?: string): KeyObject {
  return createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) });
}

/** Adds the signature of an image to the layout, under the tag `sha256-….sig`. */
export async function signImage(
  layout: OciLayout,
  { image, name, key }: { readonly image: Descriptor; readonly name: string; readonly key: KeyObject },
): Promise<void> {
  const payload = JSON.stringify({
    critical: {
      identity: { "docker-reference": name },
      image: { "docker-manifest-digest": image.digest },
      type: "cosign container image signature",
    },
    optional: null,
  });
  const layer = await layout.put(cosignType.signature, payload);
  const signature = signed(key, new TextEncoder().encode(payload)).toBase64();
  await offer(layout, {
    image,
    suffix: "sig",
    layers: [{ ...layer, annotations: { [annotation]: signature } }],
  });
}

/** Adds signed statements about an image to the layout, under the tag `sha256-….att`. */
export async function attest(
  layout: OciLayout,
  { image, statements, key }: {
    readonly image: Descriptor;
    readonly statements: readonly InTotoStatement[];
    readonly key: KeyObject;
  },
): Promise<void> {
  const layers: Descriptor[] = [];
  for (const statement of statements) {
    const layer = await layout.put(cosignType.envelope, envelopeOf(statement, key));
    layers.push({ ...layer, annotations: { [annotation]: "", predicateType: statement.predicateType } });
  }
  await offer(layout, { image, suffix: "att", layers });
}

/** Makes a signed envelope (DSSE 1.0), as JSON. */
function envelopeOf(statement: InTotoStatement, key: KeyObject): string {
  const payloadType = "application/vnd.in-toto+json";
  const payload = new TextEncoder().encode(JSON.stringify(statement));
  const head = new TextEncoder().encode(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
  const sig = signed(key, new Uint8Array([...head, ...payload])).toBase64();
  return JSON.stringify({ payloadType, payload: payload.toBase64(), signatures: [{ keyid: "", sig }] });
}

function signed(key: KeyObject, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  // Ed25519 hashes the message itself.
  const digest = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return new Uint8Array(sign(digest, bytes, key));
}

async function offer(
  layout: OciLayout,
  { image, suffix, layers }: {
    readonly image: Descriptor;
    readonly suffix: "sig" | "att";
    readonly layers: readonly Descriptor[];
  },
): Promise<void> {
  const config = await layout.putJson(mediaType.config, {
    architecture: "",
    os: "",
    config: {},
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
  });
  await layout.offer(
    { schemaVersion: 2, mediaType: mediaType.manifest, config, layers },
    `${image.digest.replace(":", "-")}.${suffix}`,
  );
}
