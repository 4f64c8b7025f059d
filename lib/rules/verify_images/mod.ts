/**
 * `verifyImages`: the images of an object must be signed, and have attestations. The mutate phase verifies
 * signatures, adds digests and notes the results in annotations; the validate phase reads only digests and notes.
 *
 * The port `Signatures` verifies one image and one signer at a time; this folder combines the answers. All images of
 * an object are verified concurrently.
 *
 * @module
 */
export {
  loadDigest,
  loadImage,
  loadReferrer,
  loadTextVerdict,
  loadVerdict,
  type Pending,
  pending,
} from "./loads.ts";
export { pullSecretsOf, withPullSecrets } from "./credentials.ts";
export { annotated, type ImageNote, type ScopedNotes, withoutNotes } from "./notes.ts";
export { keyNeed, keySecretNeeds, loginNeed } from "./secret_needs.ts";
export { compileImageChecks, compileVerifyImages } from "./verify_images.ts";
export type { VerifyImagesBody } from "./entries.ts";
export { signersOfSets } from "./written_signers.ts";
