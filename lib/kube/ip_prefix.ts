import { Fault, isFault } from "../json/mod.ts";
import { formatIpAddress, type IpAddress, parseIpAddress } from "./ip_address.ts";

/** A network: an address and how many of its first bits count. */
export interface IpPrefix {
  readonly address: IpAddress;
  readonly length: number;
}

/**
 * Reads a network in CIDR notation as Go's `netip.ParsePrefix` does: bits after the prefix are kept, zones are refused.
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
  const problem = (reason: string): Fault =>
    new Fault(`netip.ParsePrefix(${JSON.stringify(text)}): ${reason}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) return problem("no '/'");
  const address = parseIpAddress(text.slice(0, slash));
  if (isFault(address)) return problem(address.message);
  if (address.zone !== "") return problem("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  // Digits only, without leading zeros; a single sign is no number either.
  if (!/^(?:[0-9]|[1-9][0-9]{1,18})$/.test(bits)) {
    return problem(`bad bits after slash: ${JSON.stringify(bits)}`);
  }
  return Number(bits) > address.bits
    ? problem("prefix length out of range")
    : { address, length: Number(bits) };
}

/** The network in CIDR notation. */
export function formatIpPrefix({ address, length }: IpPrefix): string {
  return `${formatIpAddress(address)}/${length}`;
}

/** The network with all bits after the prefix zero. */
export function maskedPrefix({ address, length }: IpPrefix): IpPrefix {
  const rest = BigInt(address.bits - length);
  return { address: { ...address, value: address.value >> rest << rest }, length };
}

/** Whether the address lies in the network; never across IPv4 and IPv6, and not for addresses with a zone. */
export function containsAddress({ address: network, length }: IpPrefix, address: IpAddress): boolean {
  if (address.bits !== network.bits || address.zone !== "") return false;
  const rest = BigInt(network.bits - length);
  return address.value >> rest === network.value >> rest;
}

/** Whether the whole second network lies in the first. */
export function containsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  return outer.length <= inner.length && containsAddress(outer, inner.address);
}
