import { isFault } from "../../json/mod.ts";
import type { SignedTextAnswer, SignedTextQuery } from "../../ports.ts";
import {
  checkCosignSignature,
  type CheckPorts,
  type CosignSignature,
  type SignatureContent,
} from "./cosign_signature.ts";
import type { RootSource } from "./cosign_signer.ts";
import { readCosignTrust } from "./cosign_trust.ts";
import { refusesIdentity } from "./identity.ts";
import { base64Bytes } from "./pem.ts";
import { SignedMessage } from "./signed_message.ts";

/**
 * Verifies the signature of a text, such as a signed manifest. Kyverno parity: without certificate and entry beside the
 * signature the log is ignored. Pinned by row "manifest-key" of tests/conformance/sets/verify_images.ts.
 */
export async function verifySignedText(
  query: SignedTextQuery,
  { root, ports }: { readonly root: RootSource; readonly ports: CheckPorts },
): Promise<SignedTextAnswer> {
  const { by } = query;
  const message = new SignedMessage(query.message);
  const certificate = textOf(query.certificate), bundle = textOf(query.bundle);
  const log = certificate === "" && bundle === "" ? { ...query.log, ignoreTlog: true } : query.log;
  const trust = await readCosignTrust({ by, log }, root, ports.authorities);
  if (isFault(trust)) return { ok: false, message: trust.message };
  const signature: CosignSignature = {
    digest: "",
    payload: query.message,
    signature: query.signature.trim(),
    certificate,
    bundle,
    chain: "",
    timestamp: "",
    annotations: {},
  };
  const content: SignatureContent = {
    message,
    async refusesSignature(key, hash) {
      const bytes = base64Bytes(signature.signature);
      if (bytes === undefined) return "illegal base64 data in the signature";
      return await message.refuses(key, bytes, hash);
    },
    refusesClaim: () => undefined,
  };
  const checked = await checkCosignSignature(signature, { content, trust, ports });
  if (!checked.ok) return { ok: false, message: checked.why };
  if (by.kind !== "keyless" || checked.certificate === undefined) return { ok: true, signer: "" };
  const identityProblem = refusesIdentity(by, [checked.certificate], ports.patterns);
  return identityProblem === undefined
    ? { ok: true, signer: checked.certificate.names[0] ?? "" }
    : { ok: false, message: identityProblem };
}

/** Decodes an annotation from base64; one that is not base64 stays as it is. */
function textOf(annotation: string): string {
  const bytes = base64Bytes(annotation);
  return bytes === undefined ? annotation : new TextDecoder().decode(bytes);
}
