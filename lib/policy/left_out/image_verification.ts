import type * as full from "../image_verification.ts";

/** No rule of the bundle verifies images. */
const failureActionOfImages: typeof full.failureActionOfImages = () => undefined;
const imageVerificationOf: typeof full.imageVerificationOf = () => {
  throw new Error("the bundle verifies no images");
};
const isCheckedAtValidation: typeof full.isCheckedAtValidation = () => false;
const modernEntry: typeof full.modernEntry = (entry) => entry;
const signatureTypes: typeof full.signatureTypes = ["Cosign", "SigstoreBundle", "Notary"];

export { failureActionOfImages, imageVerificationOf, isCheckedAtValidation, modernEntry, signatureTypes };
