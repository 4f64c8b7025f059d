import { Fault, quoted } from "../json/mod.ts";

/** An IPv4 or IPv6 address. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
  /** The zone after the `%` of an IPv6 address; otherwise empty. */
  readonly zone: string;
}

/**
 * Parses an address as Go's `netip.ParseAddr` does: no leading zeros in IPv4, zones allowed in IPv6. The fault has Go's
 * message.
 *
 * ```ts
 * import { formatIpAddress, parseIpAddress } from "./ip_address.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const address = parseIpAddress("2001:DB8:0:0::1");
 * assert(!isFault(address));
 * assert.equal(formatIpAddress(address), "2001:db8::1");
 * ```
 */
export function parseIpAddress(text: string): IpAddress | Fault {
  const problem = (reason: string, at = ""): Fault => {
    const position = at === "" ? "" : ` (at ${quoted(at)})`;
    return new Fault(`ParseAddr(${quoted(text)}): ${reason}${position}`);
  };
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".": {
      const octets = readOctets(text, problem);
      return octets instanceof Fault ? octets : { bits: 32, value: joined(octets, 8n), zone: "" };
    }
    case ":":
      return readIpv6(text, problem);
    case "%":
      return problem("missing IPv6 address");
    default:
      return problem("unable to parse IP");
  }
}

type Problem = (reason: string, at?: string) => Fault;

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((value, part) => value << width | BigInt(part), 0n);
}

/** The four numbers of a dotted address. */
function readOctets(text: string, problem: Problem): readonly number[] | Fault {
  const octets: number[] = [];
  let octet = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text[index]!;
    if (unit >= "0" && unit <= "9") {
      if (octet === "0") return problem("IPv4 field has octet with leading zero");
      octet += unit;
      if (Number(octet) > 255) return problem("IPv4 field has value >255");
    } else if (unit !== ".") return problem("unexpected character", text.slice(index));
    else if (octet === "" || index === text.length - 1) {
      return problem("IPv4 field must have at least one digit", text.slice(index));
    } else if (octets.length === 3) return problem("IPv4 address too long");
    else {
      octets.push(Number(octet));
      octet = "";
    }
  }
  return octets.length < 3 ? problem("IPv4 address too short") : [...octets, Number(octet)];
}

function readIpv6(text: string, problem: Problem): IpAddress | Fault {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") return problem("zone must be a non-empty string");
  const groups = readGroups(percent < 0 ? text : text.slice(0, percent), problem);
  return groups instanceof Fault ? groups : { bits: 128, value: joined(groups, 16n), zone };
}

/** The eight groups of an IPv6 address. The text may have the last two as an IPv4 address. */
function readGroups(text: string, problem: Problem): readonly number[] | Fault {
  const groups: number[] = [];
  /** The index at which `::` replaces the missing zero groups; -1 before it is found. */
  let gap = text.startsWith("::") ? 0 : -1;
  let rest = gap === 0 ? text.slice(2) : text;
  while (rest !== "" && groups.length < 8) {
    const digits = /^[0-9A-Fa-f]{0,5}/.exec(rest)![0];
    if (digits.length > 4) return problem("each group must have 4 or less digits", rest);
    if (digits === "") return problem("each colon-separated field must have at least one digit", rest);
    if (rest[digits.length] === ".") {
      const replaces = "embedded IPv4 address must replace the final 2 fields of the address";
      if (gap < 0 && groups.length !== 6) return problem(replaces, rest);
      if (groups.length > 6) {
        return problem("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
      }
      const octets = readOctets(rest, problem);
      if (octets instanceof Fault) return octets;
      groups.push(octets[0]! << 8 | octets[1]!, octets[2]! << 8 | octets[3]!);
      rest = "";
      break;
    }
    groups.push(parseInt(digits, 16));
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (rest[0] !== ":") return problem("unexpected character, want colon", rest);
    if (rest === ":") return problem("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest[0] === ":") {
      if (gap >= 0) return problem("multiple :: in address", rest);
      gap = groups.length;
      rest = rest.slice(1);
    }
  }
  if (rest !== "") return problem("trailing garbage after address", rest);
  if (groups.length === 8) {
    return gap < 0 ? groups : problem("the :: must expand to at least one field of zeros");
  }
  if (gap < 0) return problem("address string too short");
  return [...groups.slice(0, gap), ...new Array<number>(8 - groups.length).fill(0), ...groups.slice(gap)];
}

/** Whether the address is an IPv4-mapped IPv6 address: `::ffff:1.2.3.4`. */
export function isMappedIpv4({ bits, value }: IpAddress): boolean {
  return bits === 128 && value >> 32n === 0xffffn;
}

/** The address itself, or the IPv4 address of an IPv4-mapped IPv6 address. */
export function unmapped(address: IpAddress): IpAddress {
  return isMappedIpv4(address) ? { bits: 32, value: address.value & 0xffff_ffffn, zone: "" } : address;
}

/** The canonical text of RFC 5952. */
export function formatIpAddress(address: IpAddress): string {
  const { bits, value, zone } = address;
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String(value >> shift & 0xffn)).join(".");
  const scope = zone === "" ? "" : `%${zone}`;
  if (isMappedIpv4(address)) return `::ffff:${formatIpAddress(unmapped(address))}${scope}`;
  const groups = Array.from({ length: 8 }, (_, index) => Number(value >> BigInt(112 - 16 * index) & 0xffffn));
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  return length < 2
    ? `${hex(groups)}${scope}`
    : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}${scope}`;
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start > best.length) best = { start, length: end - start };
    start = Math.max(start, end - 1);
  }
  return best;
}

/** The class of an address, as in the methods of Go's `netip.Addr`. */
export type AddressClass =
  | "unspecified"
  | "loopback"
  | "linkLocalMulticast"
  | "linkLocalUnicast"
  | "multicast"
  | "private";

const classes: Readonly<Record<AddressClass, readonly string[]>> = {
  unspecified: ["0.0.0.0/32", "::/128"],
  loopback: ["127.0.0.0/8", "::1/128"],
  linkLocalMulticast: ["224.0.0.0/24", "ff02::/16"],
  linkLocalUnicast: ["169.254.0.0/16", "fe80::/10"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

const ranges = new Map(
  Object.entries(classes).map(([name, texts]) => [
    name,
    texts.map((text) => {
      const [address, length] = text.split("/") as [string, string];
      const { bits, value } = parseIpAddress(address) as IpAddress;
      return { bits, shift: BigInt(bits - Number(length)), value };
    }),
  ]),
);

/** Whether an address is of a class. */
export function isOfClass({ bits, value }: IpAddress, name: AddressClass): boolean {
  return ranges.get(name)!.some((range) =>
    range.bits === bits && value >> range.shift === range.value >> range.shift
  );
}

/** Whether an address is a global unicast address, as in Go; private addresses count too. */
export function isGlobalUnicast(address: IpAddress): boolean {
  const { bits, value } = address;
  if (bits === 32 && value === 0xffff_ffffn) return false;
  return !(["unspecified", "loopback", "multicast", "linkLocalUnicast"] as const).some((name) =>
    isOfClass(address, name)
  );
}
