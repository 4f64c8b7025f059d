import { type Fault, isFault } from "../json/mod.ts";
import { compileAddressRules, isAddressHost } from "../kube/mod.ts";
import { type AddressLookup, addressToCall } from "./addresses_of.ts";

/** The result of checking a URL before a call. */
export interface AddressVerdict {
  /** Why Postern may not call the URL; `undefined` when it may. */
  readonly refused?: string | undefined;
  /** The address that was checked. The caller connects to it, because the next look-up may return another address. */
  readonly address?: string | undefined;
}

/** Decides whether Postern may call a URL. */
export type AddressCheck = (url: URL) => Promise<AddressVerdict>;

/**
 * The addresses that calls of policies must not reach: this machine, and link-local addresses, where clouds serve
 * credentials.
 */
const blocked: readonly string[] = [
  "0.0.0.0/8",
  "::/128",
  "127.0.0.0/8",
  "::1/128",
  "169.254.0.0/16",
  "fe80::/10",
  "localhost",
  "metadata.google.internal",
  "metadata.internal",
];

/**
 * Makes the check for calls to services that policies name. It refuses loopback and link-local addresses that are not
 * exempt, whether the URL names the address or a host name resolves to it. It allows private addresses, where the
 * cluster's services are. A fault names the exemption that cannot be read.
 */
export function serviceAddresses(
  { exempt = [], resolve }: {
    /** Networks (`127.0.0.0/8`) and host names. */
    readonly exempt?: readonly string[];
    /** When absent, the check looks no names up. */
    readonly resolve?: AddressLookup | undefined;
  } = {},
): AddressCheck | Fault {
  const rules = compileAddressRules({ blocked, exempt });
  if (isFault(rules)) return rules;
  return async (url) => {
    const refused = rules.refusesUrl(url);
    const isExempt = exempt.some((entry) => entry.toLowerCase() === url.hostname.toLowerCase());
    if (refused !== undefined || isExempt || resolve === undefined) return { refused };
    // The URL names an address, which the rules have checked above.
    if (isAddressHost(url)) return {};
    const addresses = await resolve(url.hostname);
    if (isFault(addresses)) return { refused: addresses.message };
    for (const address of addresses) {
      const why = rules.refusesAddress(address);
      if (why !== undefined) return { refused: why };
    }
    return { address: addressToCall(addresses) };
  };
}
