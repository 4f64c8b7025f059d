import { type Fault, isFault } from "../../json/mod.ts";
import { compileAddressRules, isAddressHost } from "../../kube/mod.ts";
import { type AddressLookup, addressToCall, type AddressVerdict } from "../../adapters/mod.ts";

/** The addresses that a registry may have. */
export interface RegistryAddressOptions {
  /** Whether registries on this machine may be read, as tests and the command line do. */
  readonly loopback: "allowed" | "refused";
  /** When absent, the rule looks no names up. */
  readonly resolve?: AddressLookup | undefined;
}

/** Whether an address may be called; `from` is the address that redirected to it or named it as its token server. */
export type AddressRule = (url: URL, from?: URL) => Promise<AddressVerdict>;

/** Allows every address. */
export const everywhere: AddressRule = (): Promise<AddressVerdict> => Promise.resolve({});

/** The kind of network that an address belongs to. Clouds serve credentials on `link-local` addresses. */
type Reach = "loopback" | "link-local" | "private" | "elsewhere";

/** The most restricted kind of network first, because a name may resolve to addresses of several kinds. */
const networks: readonly (readonly [Reach, readonly string[]])[] = [
  ["link-local", ["169.254.0.0/16", "fe80::/10", "metadata.google.internal", "metadata.internal"]],
  ["loopback", ["127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128", "localhost"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"]],
];

const rules = networks.map(([reach, blocked]) => ({ reach, rule: compileAddressRules({ blocked }) }));

/** The kind of network that the host of a URL is in, and the address that its name resolved to. */
interface Destination {
  readonly reach: Reach;
  readonly address?: string | undefined;
  /** Why the name has no address. */
  readonly absent?: Fault;
}

const refused: AddressVerdict = { refused: "the address is not allowed" };

/**
 * Decides which addresses Postern may call for images, tokens and blobs. A registry can redirect Postern to any
 * address, so Postern follows redirects to this machine and to private networks only from a registry at such an
 * address, and never calls link-local addresses. A host name counts as the most restricted of the addresses that it
 * resolves to. A name without addresses may get one between the check and the call, so Postern calls it over TLS only,
 * where the certificate proves the name.
 *
 * ```ts
 * import { registryAddresses } from "./addresses.ts";
 * import assert from "node:assert/strict";
 * const rule = registryAddresses({ loopback: "refused" });
 * const allows = async (url: URL, from?: URL) => (await rule(url, from)).refused === undefined;
 * const registry = new URL("https://registry.example/v2/"), inside = new URL("https://10.0.0.7/v2/");
 * assert.equal(await allows(registry), true);
 * assert.equal(await allows(inside), true);
 * assert.equal(await allows(inside, registry), false);
 * assert.equal(await allows(new URL("http://169.254.169.254/latest")), false);
 * assert.equal(await allows(new URL("http://127.0.0.1:5000/")), false);
 * ```
 */
export function registryAddresses({ loopback, resolve }: RegistryAddressOptions): AddressRule {
  return async (url, from) => {
    if (!/^https?:$/.test(url.protocol)) return refused;
    const { reach, address, absent } = await destinationOf(url, resolve);
    if (absent !== undefined && url.protocol === "http:") return { refused: absent.message };
    const origin = from === undefined ? reach : (await destinationOf(from, resolve)).reach;
    return isAllowed(reach, origin, loopback) ? { address } : refused;
  };
}

function isAllowed(reach: Reach, origin: Reach, loopback: RegistryAddressOptions["loopback"]): boolean {
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
}

async function destinationOf(url: URL, resolve: RegistryAddressOptions["resolve"]): Promise<Destination> {
  const named = rules.find(({ rule }) => !isFault(rule) && rule.refusesUrl(url) !== undefined);
  if (named !== undefined) return { reach: named.reach };
  if (isAddressHost(url) || resolve === undefined) return { reach: "elsewhere" };
  const addresses = await resolve(url.hostname);
  if (isFault(addresses)) return { reach: "elsewhere", absent: addresses };
  const worst = rules.find(({ rule }) =>
    !isFault(rule) && addresses.some((address) => rule.refusesAddress(address) !== undefined)
  );
  return { reach: worst?.reach ?? "elsewhere", address: addressToCall(addresses) };
}
