import { type Fault, isFault } from "../json/mod.ts";
import { compileAddressRules } from "../kube/mod.ts";

/** Decides about an URL before it is called; the reason for a no, or `undefined`. */
export type AddressCheck = (url: URL) => Promise<string | undefined>;

/** What calls of policies may not reach: this machine, and link-local addresses, where clouds serve credentials. */
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
 * The check for calls to services that policies name: loopback and link-local addresses are refused unless they are exempt,
 * whether the URL names them or a host name stands for them. Services of the cluster, which are at private addresses, are
 * open. A fault names the exemption that cannot be read.
 */
export function serviceAddresses(
  { exempt = [], resolve }: {
    /** Networks (`127.0.0.0/8`) and host names. */
    readonly exempt?: readonly string[];
    /** The addresses that a host name stands for; names are not looked up without it. */
    readonly resolve?: (host: string) => Promise<readonly string[]>;
  } = {},
): AddressCheck | Fault {
  const rules = compileAddressRules({ blocked, exempt });
  if (isFault(rules)) return rules;
  return async (url) => {
    const refusal = rules.refusesUrl(url);
    const isExempt = exempt.some((entry) => entry.toLowerCase() === url.hostname.toLowerCase());
    if (refusal !== undefined || isExempt || resolve === undefined) return refusal;
    for (const address of await addressesOf(url.hostname, resolve)) {
      const why = rules.refusesAddress(address);
      if (why !== undefined) return why;
    }
    return undefined;
  };
}

/** A name that cannot be looked up cannot be called either: the call itself says so. */
async function addressesOf(
  host: string,
  resolve: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    return [];
  }
}
