import { asList, isObject } from "../../json/mod.ts";
import { attestorSetShape, imageVerificationOf, registryCredentialsShape } from "../../policy/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { RuleKind } from "../rule_kind.ts";
import { compileImageChecks, compileVerifyImages, type VerifyImagesBody } from "../verify_images/mod.ts";

/** The descriptions of the fields of `verifyImages`. */
export const verifyImagesNotes: FieldNotes = {
  "imageReferences": "The images that the rule is about; wildcards are allowed.",
  "skipImageReferences": "Images, among those, that are not checked.",
  "verifyImages.type": "`Cosign`, `SigstoreBundle` or `Notary`: how images are signed. Default Cosign.",
  "verifyImages.failureAction": "`Enforce` refuses, `Audit` only reports.",
  "verifyImages.annotations": "Annotations that the signature must have.",
  "cosignOCI11": "Whether signatures are found as referrers of the image (OCI 1.1).",
  "useCache": "Whether results are kept for some time. Default true.",
  "verifyImages.validate": "Conditions on what was verified.",
  "verifyImages.image": "Older form of `imageReferences`.",
  "verifyImages.key": "Older form of `attestors[].entries[].keys.publicKeys`.",
  "verifyImages.issuer": "Older form of `attestors[].entries[].keyless.issuer`.",
  "verifyImages.subject": "Older form of `attestors[].entries[].keyless.subject`.",
  "verifyImages.roots": "Older form of `attestors[].entries[].keyless.roots`.",
  "verifyImages.additionalExtensions": "Older form of `attestors[].entries[].keyless.additionalExtensions`.",
  "predicateType": "Older form of `type`.",
  "attestations.conditions": "Conditions on the content of the statement.",
};

/**
 * `verifyImages`: the images of an object must be signed. The mutate phase verifies signatures, adds digests and notes
 * the results; the validate phase reads only digests and notes.
 */
export const verifyImages: RuleKind<VerifyImagesBody> = {
  kind: "verifyImages",
  section: "verifyImages",
  shape: {
    type: "text",
    imageReferences: ["text"],
    skipImageReferences: ["text"],
    failureAction: new Set(["Audit", "Enforce"]),
    attestors: [attestorSetShape],
    attestations: [{
      name: "text",
      type: "text",
      predicateType: "text",
      attestors: [attestorSetShape],
      conditions: "open",
    }],
    annotations: "open",
    repository: "text",
    cosignOCI11: "flag",
    mutateDigest: "flag",
    verifyDigest: "flag",
    required: "flag",
    useCache: "flag",
    imageRegistryCredentials: registryCredentialsShape,
    validate: { message: "text", deny: { conditions: "open" } },
    image: "text",
    key: "text",
    issuer: "text",
    subject: "text",
    roots: "text",
    additionalExtensions: "open",
  },
  recognises: Array.isArray,
  read: (entries) => ({ kind: "verifyImages", entries: asList(entries).filter(isObject) }),
  // Conditions read attestations by their names.
  names: ({ entries }) =>
    entries.flatMap((entry) => imageVerificationOf(entry).attestations).map(({ name }) => name)
      .filter((name) => name !== ""),
  type: "verifyImages",
  name: "verifyImages",
  compile: compileVerifyImages,
  then: { type: "checkImages", name: "checkImages", compile: compileImageChecks },
};
