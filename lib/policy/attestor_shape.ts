import type { Shape } from "../shape/mod.ts";

const rekor: Shape = { url: "text", pubkey: "text", ignoreTlog: "flag" };
const ctlog: Shape = { pubkey: "text", ignoreSCT: "flag", tsaCertChain: "text" };

/** The shape of an attestor set. A nested attestor is one too; deeper nesting than anybody writes is not checked. */
function setShape(nested: Shape): Shape {
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
export const attestorSetShape = setShape(setShape(setShape("open")));

/** `imageRegistryCredentials`. */
export const registryCredentialsShape: Shape = {
  allowInsecureRegistry: "flag",
  providers: [new Set(["default", "amazon", "azure", "google", "github"])],
  secrets: ["text"],
};
