import type * as full from "../image_attestors.ts";

/** No rule of the bundle verifies signatures. */
const attestorSetsOf: typeof full.attestorSetsOf = () => [];
const writtenEntries: typeof full.writtenEntries = function* () {};
const publicKeySecret: typeof full.publicKeySecret = () => undefined;
const logTrustOf: typeof full.logTrustOf = () => {
  throw new Error("the bundle has no attestors");
};
const signatureAlgorithms: typeof full.signatureAlgorithms = ["sha224", "sha256", "sha384", "sha512"];
const textOf: typeof full.textOf = () => "";

export { attestorSetsOf, logTrustOf, publicKeySecret, signatureAlgorithms, textOf, writtenEntries };
