import { Fault, isFault, quoted, withoutEnding } from "../json/mod.ts";
import { type IpAddress, parseIpAddress, unmapped } from "./ip_address.ts";
import { containsAddress, type IpPrefix, parseIpPrefix } from "./ip_prefix.ts";

/**
 * Addresses that policies may not call unless they are exempt: loopback, link-local (where clouds serve metadata),
 * private and shared networks, and hosts that serve metadata. The list is that of Kyverno's HTTP library. Postern adds
 * 0.0.0.0/8, `::` and `localhost`, because they mean this machine.
 */
const defaultBlockedAddresses: readonly string[] = [
  "0.0.0.0/8",
  "::/128",
  "127.0.0.0/8",
  "::1/128",
  "169.254.0.0/16",
  "fe80::/10",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "fc00::/7",
  "100.64.0.0/10",
  "localhost",
  "metadata.google.internal",
  "metadata.internal",
];

/** The rules of an administrator for the addresses that policies may call. */
export interface AddressRuleOptions {
  /** Networks (`10.0.0.0/8`) and host names; {@link defaultBlockedAddresses} by default. */
  readonly blocked?: readonly string[];
  /** Networks and host names that policies may call although a blocked network contains them. */
  readonly exempt?: readonly string[];
  /** URL prefixes (`https://api.example.com/v1`). If there are any, every called URL must begin with one of them. */
  readonly allowed?: readonly string[];
}

/** Checks addresses. Each method returns the reason for refusing an address, or `undefined`. */
export interface AddressRules {
  /** Checks a URL before the DNS look-up of its host, and the URL of each redirect. */
  refusesUrl(url: URL): string | undefined;
  /** Checks an address of a host name before the connection is opened. */
  refusesAddress(address: string): string | undefined;
}

interface Entries {
  readonly networks: readonly { readonly text: string; readonly prefix: IpPrefix }[];
  readonly hosts: ReadonlySet<string>;
}

/**
 * Compiles the rules. The fault names the invalid entry.
 *
 * ```ts
 * import { compileAddressRules } from "./address_rules.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const rules = compileAddressRules({});
 * assert(!isFault(rules));
 * assert.equal(rules.refusesUrl(new URL("https://example.com/")), undefined);
 * assert.match(rules.refusesUrl(new URL("http://169.254.169.254/latest"))!, /169\.254\.0\.0\/16/);
 * assert.match(rules.refusesUrl(new URL("http://2130706433/"))!, /127\.0\.0\.0\/8/);
 * ```
 */
export function compileAddressRules(options: AddressRuleOptions): AddressRules | Fault {
  const blocked = readEntries(options.blocked ?? defaultBlockedAddresses);
  if (isFault(blocked)) return blocked;
  const exempt = readEntries(options.exempt ?? []);
  if (isFault(exempt)) return exempt;
  const allowed: URL[] = [];
  for (const text of options.allowed ?? []) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.host === "") {
      return new Fault(`allowlist entry ${JSON.stringify(text)} must include scheme and host`);
    }
    allowed.push(url);
  }
  const refusesAddress = (text: string): string | undefined => {
    const address = readAddress(text);
    if (address === undefined || networkOf(exempt, address) !== undefined) return undefined;
    const network = networkOf(blocked, address);
    return network === undefined ? undefined : `IP ${text} falls in blocked range ${network}`;
  };
  return {
    refusesAddress,
    refusesUrl(url) {
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        return `scheme ${url.protocol} is not permitted`;
      }
      if (allowed.length > 0 && !allowed.some((entry) => beginsWith(url, entry))) {
        return `URL ${quoted(url.href)} is not permitted: no matching allowlist entry`;
      }
      const host = normalHost(url.hostname);
      if (namesHost(exempt, host)) return undefined;
      if (namesHost(blocked, host)) {
        return `URL ${quoted(url.href)} is blocked: hostname ${quoted(host)} is on the blocklist`;
      }
      return refusesAddress(host.replace(/^\[|\]$/g, ""));
    },
  };
}

function readEntries(texts: readonly string[]): Entries | Fault {
  const networks: { text: string; prefix: IpPrefix }[] = [];
  const hosts = new Set<string>();
  for (const entry of texts) {
    const text = entry.trim();
    if (text.includes("/")) {
      const prefix = parseIpPrefix(text);
      if (isFault(prefix)) {
        return new Fault(`invalid CIDR ${JSON.stringify(text)} in blocklist: ${prefix.message}`);
      }
      networks.push({ text, prefix });
    } else if (text !== "") hosts.add(normalHost(text));
  }
  return { networks, hosts };
}

/** Normalizes a host name: the case and a dot at the end do not count. */
function normalHost(host: string): string {
  return withoutEnding(host.toLowerCase(), ".");
}

/** Whether the entries contain the host name. Every name below `localhost` also means this machine. */
function namesHost({ hosts }: Entries, host: string): boolean {
  return hosts.has(host) || (host.endsWith(".localhost") && hosts.has("localhost"));
}

function networkOf({ networks }: Entries, address: IpAddress): string | undefined {
  return networks.find(({ prefix }) => containsAddress(prefix, address))?.text;
}

const translated = parseIpPrefix("64:ff9b::/96");

/** Reads the address of a connection. It unwraps an IPv4 address inside an IPv6 address. */
function readAddress(text: string): IpAddress | undefined {
  const address = parseIpAddress(text);
  if (isFault(address)) return undefined;
  const plain = unmapped({ ...address, zone: "" });
  return !isFault(translated) && containsAddress(translated, plain)
    ? { bits: 32, value: plain.value & 0xffff_ffffn, zone: "" }
    : plain;
}

/** Whether the host of a URL is an address and not a name. URLs write each IPv4 address with four numbers. */
export function isAddressHost({ hostname }: URL): boolean {
  return /^[\d.]+$|^\[/.test(hostname);
}

function beginsWith(url: URL, entry: URL): boolean {
  if (url.protocol !== entry.protocol || normalHost(url.hostname) !== normalHost(entry.hostname)) {
    return false;
  }
  if (url.port !== entry.port) return false;
  const path = entry.pathname;
  // `/v1` covers `/v1` and what is below it, but not `/v10`.
  return url.pathname === path || url.pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}
