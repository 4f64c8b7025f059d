import type { SignatureAnswer, Signatures } from "../ports.ts";

const message = "registries are not called here: use --registry, or record the images with --record-images";

/**
 * Verifies signatures of texts, which carry everything for it. For images it answers as if no registry could be
 * reached.
 */
export function offlineSignatures(signatures: Signatures): Signatures {
  const unanswered: SignatureAnswer = {
    ok: false,
    why: "no connection",
    message,
    digest: undefined,
    tried: [],
    cached: false,
  };
  return {
    verify: () => Promise.resolve(unanswered),
    digest: () => Promise.resolve({ ok: false, why: "no connection", message }),
    referrer: () => Promise.resolve({ ok: false, status: undefined, message }),
    verifyText: (query, signal) => signatures.verifyText(query, signal),
  };
}
