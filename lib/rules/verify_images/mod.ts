/**
 * `verifyImages`: the images of an object must be signed, and have attestations. The mutate phase asks for signatures,
 * pins digests and notes what it found in annotations; the validate phase looks at digests and notes alone.
 *
 * Signatures come from the port `Signatures`, one question about one image and one signer at a time; combining the
 * answers is done here. Questions about all images of an object are asked side by side.
 *
 * @module
 */
export { loadDigest, loadReferrer, loadTextVerdict, loadVerdict, type Pending, pending } from "./loads.ts";
export { pullSecretsOf, withPullSecrets } from "./credentials.ts";
export { annotated, type ImageNote, type ScopedNotes, withoutNotes } from "./notes.ts";
export { keyNeed, keySecretNeeds, loginNeed } from "./secret_needs.ts";
export { verifyImages } from "./verify_images.ts";
export { signersOfSets } from "./written_signers.ts";
