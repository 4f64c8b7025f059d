import { celPolicySpecShape } from "./cel_shape.ts";
import { registryCredentialsShape } from "../policy/mod.ts";
import type { Shape } from "../shape/mod.ts";

const textOrExpression: Shape = { value: "text", expression: "text" };

/** `spec` of ImageValidatingPolicy. */
export const imagePolicySpecShape: Shape = {
  ...celPolicySpecShape as { readonly [field: string]: Shape },
  matchImageReferences: [{ glob: "text", expression: "text" }],
  images: [{ name: "text", expression: "text" }],
  credentials: registryCredentialsShape,
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
