/**
 * Implements the port `Signatures`: it verifies Cosign's signatures and attestations, sigstore bundles, Notary Project
 * signatures and signed texts. It checks keys, certificates and timestamps with WebCrypto and sigstore's libraries, and
 * imports these libraries when it first needs them.
 *
 * Not supported: key management services, cloud providers' credential helpers, certificates with name constraints,
 * revocation, Notary's timestamps and plugins, and sigstore bundles without an envelope.
 *
 * @module
 */
export { ImageSignatures, type ImageSignaturesOptions } from "./image_signatures.ts";
export { fetchTrustedRoot, type TrustSource } from "./fetch_trust.ts";
export { bundledTrustedRoot } from "./public_trust.ts";
export { readTrustedRoot, type TrustedRoot } from "./trust.ts";
export type { TrustedRootText } from "./trusted_roots.ts";
export { unusableSigner } from "./unusable_signer.ts";
