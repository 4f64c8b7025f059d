import { isFault } from "../../json/mod.ts";
import { compileAddressRules } from "../../kube/mod.ts";

/** Where a registry may be. */
export interface RegistryAddressOptions {
  /** Whether registries on this machine may be read, as tests and the command line do. */
  readonly loopback: "allowed" | "refused";
}

/** Whether an address may be asked; `from` is the address that redirected to it or named it as its token server. */
export type AddressRule = (url: URL, from?: URL) => boolean;

/** What an address is from here; `link-local` is where clouds serve credentials. */
type Reach = "loopback" | "link-local" | "private" | "elsewhere";

const networks: readonly (readonly [Reach, readonly string[]])[] = [
  ["loopback", ["127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128", "localhost"]],
  ["link-local", ["169.254.0.0/16", "fe80::/10", "metadata.google.internal", "metadata.internal"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]],
];

const rules = networks.map(([reach, blocked]) => ({ reach, rule: compileAddressRules({ blocked }) }));

/**
 * Which addresses may be asked for images, tokens and blobs. A registry can make its reader ask any address by a
 * redirect, so addresses of this machine and of private networks are only followed from a registry at such an address,
 * and link-local ones never. Names are not looked up: one that stands for such an address is not noticed.
 *
 * ```ts
 * import { registryAddresses } from "./addresses.ts";
 * import assert from "node:assert/strict";
 * const allows = registryAddresses({ loopback: "refused" });
 * const registry = new URL("https://registry.example/v2/"), inside = new URL("https://10.0.0.7/v2/");
 * assert.equal(allows(registry), true);
 * assert.equal(allows(inside), true);
 * assert.equal(allows(inside, registry), false);
 * assert.equal(allows(new URL("http://169.254.169.254/latest")), false);
 * assert.equal(allows(new URL("http://127.0.0.1:5000/")), false);
 * ```
 */
export function registryAddresses({ loopback }: RegistryAddressOptions): AddressRule {
  return (url, from) => {
    if (!/^https?:$/.test(url.protocol)) return false;
    const reach = reachOf(url);
    const origin = from === undefined ? reach : reachOf(from);
    switch (reach) {
      case "elsewhere":
        return true;
      case "link-local":
        return false;
      case "loopback":
        return loopback === "allowed" && origin === "loopback";
      case "private":
        return origin === "private" || origin === "loopback";
    }
  };
}

function reachOf(url: URL): Reach {
  const found = rules.find(({ rule }) => !isFault(rule) && rule.refusesUrl(url) !== undefined);
  return found?.reach ?? "elsewhere";
}
