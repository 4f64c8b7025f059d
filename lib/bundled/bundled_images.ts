import { bundledTrustedRoot, ImageRegistry, ImageSignatures, registryAddresses } from "../registries/mod.ts";
import type { BundledImages } from "./bundled_ports.ts";

/**
 * Opens the ports that read image registries, without credentials and with sigstore's public trusted root. They refuse
 * registries on the loopback address, because the user who creates an object chooses the image names.
 */
export function openBundledImages(
  { clock, entropy, cluster, resolve }: Parameters<BundledImages>[0],
): ReturnType<BundledImages> {
  const allows = registryAddresses({ loopback: "refused", resolve });
  return {
    registry: new ImageRegistry({ clock, entropy, allows }),
    signatures: new ImageSignatures({
      clock,
      entropy,
      cluster,
      allows,
      trustedRoot: async (mirror) => mirror === "" ? await bundledTrustedRoot() : undefined,
    }),
  };
}
