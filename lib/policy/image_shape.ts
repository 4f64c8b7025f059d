import { celPolicySpecShape } from "./cel_shape.ts";
import type { Shape } from "../shape/mod.ts";

const rekor: Shape = { url: "text", pubkey: "text", ignoreTlog: "flag" };
const ctlog: Shape = { pubkey: "text", ignoreSCT: "flag", tsaCertChain: "text" };

/** The shape of an attestor set. A nested attestor is one too; deeper nesting than anybody writes is not checked. */
function attestorSetShape(nested: Shape): Shape {
  return {
    count: "number",
    entries: [{
      keys: {
        publicKeys: "text",
        signatureAlgorithm: "text",
        kms: "text",
        secret: { name: "text", namespace: "text" },
        rekor,
        ctlog,
      },
      certificates: { cert: "text", certChain: "text", rekor, ctlog },
      keyless: {
        issuer: "text",
        issuerRegExp: "text",
        subject: "text",
        subjectRegExp: "text",
        roots: "text",
        additionalExtensions: "open",
        rekor,
        ctlog,
      },
      attestor: nested,
      annotations: "open",
      repository: "text",
      signatureAlgorithm: "text",
    }],
  };
}

/** A set of attestors, as in `verifyImages` and `validate.manifests`. */
const attestorSet = attestorSetShape(attestorSetShape(attestorSetShape("open")));

/** `imageRegistryCredentials`. */
const registryCredentials: Shape = { allowInsecureRegistry: "flag", providers: ["text"], secrets: ["text"] };

/** `verifyImages` of a rule, with the fields of its older form. */
export const verifyImagesShape: Shape = [{
  type: "text",
  imageReferences: ["text"],
  skipImageReferences: ["text"],
  failureAction: "text",
  attestors: [attestorSet],
  attestations: [{
    name: "text",
    type: "text",
    predicateType: "text",
    attestors: [attestorSet],
    conditions: "open",
  }],
  annotations: "open",
  repository: "text",
  cosignOCI11: "flag",
  mutateDigest: "flag",
  verifyDigest: "flag",
  required: "flag",
  useCache: "flag",
  imageRegistryCredentials: registryCredentials,
  validate: { message: "text", deny: { conditions: "open" } },
  image: "text",
  key: "text",
  issuer: "text",
  subject: "text",
  roots: "text",
  additionalExtensions: "open",
}];

/** `validate.manifests` of a rule. */
export const manifestsShape: Shape = {
  attestors: [attestorSet],
  annotationDomain: "text",
  repository: "text",
  ignoreFields: [{
    fields: ["text"],
    objects: [{ group: "text", version: "text", kind: "text", name: "text", namespace: "text" }],
  }],
  dryRun: { enable: "flag", namespace: "text" },
};

const textOrExpression: Shape = { value: "text", expression: "text" };

/** `spec` of ImageValidatingPolicy. */
export const imagePolicySpecShape: Shape = {
  ...celPolicySpecShape as { readonly [field: string]: Shape },
  matchImageReferences: [{ glob: "text", expression: "text" }],
  images: [{ name: "text", expression: "text" }],
  credentials: registryCredentials,
  validationConfigurations: { mutateDigest: "flag", verifyDigest: "flag", required: "flag" },
  attestors: [{
    name: "text",
    cosign: {
      key: {
        data: "text",
        expression: "text",
        kms: "text",
        hashAlgorithm: "text",
        secretRef: { name: "text", namespace: "text" },
      },
      keyless: {
        identities: [{
          issuer: "text",
          issuerRegExp: "text",
          subject: "text",
          subjectExpression: "text",
          subjectRegExp: "text",
        }],
        roots: "text",
        additionalExtensions: "open",
      },
      certificate: { cert: textOrExpression, certChain: textOrExpression },
      ctlog: {
        url: "text",
        rekorPubKey: "text",
        ctLogPubKey: "text",
        tsaCertChain: "text",
        insecureIgnoreTlog: "flag",
        insecureIgnoreSCT: "flag",
      },
      source: { repository: "text", tagPrefix: "text", PullSecrets: [{ name: "text" }] },
      trustedRoot: textOrExpression,
      tuf: { mirror: "text", root: { data: "text", path: "text" } },
      annotations: "open",
    },
    notary: { certs: textOrExpression, tsaCerts: textOrExpression },
  }],
  attestations: [{ name: "text", intoto: { type: "text" }, referrer: { type: "text" } }],
};
