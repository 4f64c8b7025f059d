import { isFault } from "../../json/mod.ts";
import type { LogTrust, SignatureLayout, Signer } from "../../ports.ts";
import { AuthorityCertificates } from "./authority_certificates.ts";
import { readCosignTrust } from "./cosign_trust.ts";
import { unusableIdentity } from "./identity.ts";
import { notaryTrust } from "./notary.ts";
import { signatureRepository } from "./signature_repository.ts";
import { TrustedRoots } from "./trusted_roots.ts";

/** A signer as a policy names it. */
export interface NamedSigner {
  readonly by: Signer;
  readonly log: LogTrust;
  readonly layout: SignatureLayout;
  /** The repository of the signatures; empty for the image's repository. */
  readonly repository: string;
}

/** A trusted root without authorities and logs, so that the result depends on the policy's texts alone. */
const emptyRoot = JSON.stringify({ mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1" });

/**
 * Why no signature can satisfy a signer, in the words of a verification: the policy names a key that cannot be read or
 * that is in a key management service, certificates that cannot be read or form no chain, an invalid regular expression
 * or an invalid repository. `undefined` when only signatures can show it. It calls neither a registry nor a cluster.
 */
export async function unusableSigner(
  { by, log, layout, repository }: NamedSigner,
): Promise<string | undefined> {
  const location = repository === "" ? undefined : signatureRepository(repository);
  if (isFault(location)) return location.message;
  if (layout === "notary") {
    const store = await notaryTrust(by, new AuthorityCertificates());
    return isFault(store) ? `failed to parse certificates: ${store.message}` : undefined;
  }
  const identity = by.kind === "keyless" ? unusableIdentity(by) : undefined;
  // Roots of the policy have no effect on bundles.
  if (identity !== undefined || (layout === "bundle" && by.kind === "keyless")) return identity;
  const trust = await readCosignTrust(
    { ...readable(by, log, layout), chainTimestamp: "as the policy says" },
    new TrustedRoots(() => Promise.resolve(emptyRoot)).source(log),
    new AuthorityCertificates(),
  );
  return isFault(trust) ? trust.message : undefined;
}

/** Returns the signer and the logs with only those texts that this check can read. */
function readable(by: Signer, log: LogTrust, layout: SignatureLayout): { by: Signer; log: LogTrust } {
  // The key is in a Secret, which is not read here.
  const inSecret = by.kind === "key" && /^k8s:\/\/[^/]+\/[^/]+$/.test(by.key.trim());
  const signer: Signer = inSecret
    ? { kind: "keyless", identities: [], roots: "", compare: "wildcards", extensions: {} }
    : by;
  // The policy's logs and timestamp authorities have no effect on bundles.
  if (layout === "bundle") {
    return { by: signer, log: { ...log, ignoreTlog: true, ignoreSct: true, rekorKey: "", tsaChain: "" } };
  }
  // Only the verification can decide whether a trusted log issued the certificate's timestamp.
  return {
    by: signer,
    log: by.kind === "certificates" && by.chain !== "" ? { ...log, ignoreSct: true } : log,
  };
}
