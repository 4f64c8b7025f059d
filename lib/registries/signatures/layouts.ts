import type { SignatureQuery } from "../../ports.ts";
import { statusLine } from "../../kube/mod.ts";
import type { RegistryAccess } from "../registry/registry_reader.ts";
import type { RegistryFault } from "../registry/registry_fault.ts";
import { manifestName } from "../registry/reference.ts";
import { verifyCosign } from "./cosign.ts";
import { type Inquiry, refusedBy, type Verdict } from "./inquiry.ts";
import { verifyNotary } from "./notary.ts";
import { bundlesOf, verifyBundles } from "./sigstore_bundle.ts";

/** Verifies an image by its digest, in the layout that the query names. */
export async function verifyImage(inquiry: Inquiry): Promise<Verdict> {
  switch (inquiry.query.layout) {
    case "tag":
    case "referrer or tag":
      return await verifyCosign(inquiry);
    case "bundle":
      return await verifyBundles(inquiry);
    case "bundle or tag": {
      const bundles = await bundlesOf(inquiry);
      return Array.isArray(bundles) && bundles.length > 0
        ? await verifyBundles(inquiry)
        : await verifyCosign(inquiry);
    }
    case "notary":
      return await verifyNotary(inquiry);
  }
}

/** The verdict, in Kyverno's words, for an image that the registry does not return. */
export function refusedImage(
  { want, layout, image }: SignatureQuery,
  refusal: RegistryFault,
  { reference }: RegistryAccess,
): Verdict {
  const { status, message } = refusal;
  if (status === undefined) return refusedBy(refusal);
  if (layout === "notary") {
    // Kyverno parity: Kyverno sends a HEAD request, whose failures have no message, and frames the failure of
    // signatures alone. Pinned by "the message about an image that is not there".
    const url = /https?:\/\/[^/]+/.exec(message)?.[0] ?? "";
    const where = `HEAD ${url}/v2/${reference.repository}/manifests/${manifestName(reference)}`;
    const statusText = `unexpected status code ${
      statusLine(status)
    } (HEAD responses have no body, use GET for details)`;
    const frame = want === "signature" ? `failed to parse image reference: ${image}: ` : "";
    return refusedBy(refusal, `${frame}${where}: ${statusText}`);
  }
  return status === 404 && want === "signature" && layout !== "bundle"
    ? refusedBy(refusal, `image tag not found: ${message}`)
    : refusedBy(refusal);
}
