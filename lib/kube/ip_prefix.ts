import { Fault, isFault, quoted } from "../json/mod.ts";
import { formatIpAddress, type IpAddress, parseIpAddress } from "./ip_address.ts";

/** A network: an address, and the number of its first bits that identify the network. */
export interface IpPrefix {
  readonly address: IpAddress;
  readonly length: number;
}

/**
 * Parses a network in CIDR notation as Go's `netip.ParsePrefix` does: it keeps bits after the prefix and rejects zones.
 *
 * ```ts
 * import { containsAddress, parseIpPrefix } from "./ip_prefix.ts";
 * import { parseIpAddress } from "./ip_address.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const network = parseIpPrefix("10.0.0.0/8"), address = parseIpAddress("10.1.2.3");
 * assert(!isFault(network) && !isFault(address));
 * assert.equal(containsAddress(network, address), true);
 * ```
 */
export function parseIpPrefix(text: string): IpPrefix | Fault {
  const problem = (reason: string): Fault => new Fault(`netip.ParsePrefix(${quoted(text)}): ${reason}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) return problem("no '/'");
  const address = parseIpAddress(text.slice(0, slash));
  if (isFault(address)) return problem(address.message);
  if (address.zone !== "") return problem("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  // Only digits without leading zeros; a sign alone is not a number either.
  if (!/^(?:[0-9]|[1-9][0-9]{1,18})$/.test(bits)) {
    return problem(`bad bits after slash: ${quoted(bits)}`);
  }
  return Number(bits) > address.bits
    ? problem("prefix length out of range")
    : { address, length: Number(bits) };
}

/** The network in CIDR notation. */
export function formatIpPrefix({ address, length }: IpPrefix): string {
  return `${formatIpAddress(address)}/${length}`;
}

/** The network with all bits after the prefix set to zero. */
export function maskedPrefix({ address, length }: IpPrefix): IpPrefix {
  const rest = BigInt(address.bits - length);
  return { address: { ...address, value: address.value >> rest << rest }, length };
}

/** Whether the network contains the address. Never true across IPv4 and IPv6, or for an address with a zone. */
export function containsAddress({ address: network, length }: IpPrefix, address: IpAddress): boolean {
  if (address.bits !== network.bits || address.zone !== "") return false;
  const rest = BigInt(network.bits - length);
  return address.value >> rest === network.value >> rest;
}

/** Whether the outer network contains the whole inner network. */
export function containsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  return outer.length <= inner.length && containsAddress(outer, inner.address);
}
