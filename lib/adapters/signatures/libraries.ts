/** The libraries of this folder, imported when first needed: a gate without image policies does not pay for them. */

let core: Promise<typeof import("@sigstore/core")> | undefined;

/** Certificates, timestamps and DSSE of sigstore. */
export function sigstoreCore(): Promise<typeof import("@sigstore/core")> {
  return core ??= import("@sigstore/core");
}
