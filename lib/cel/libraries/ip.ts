import { isFault, quoted } from "../../json/mod.ts";
import {
  formatIpAddress,
  type IpAddress,
  isGlobalUnicast,
  isMappedIpv4,
  isOfClass,
  parseIpAddress,
} from "../../kube/mod.ts";
import { type CelFault, failure, isCelFault } from "../fault.ts";
import { boolType, type CelType, intType, opaqueType, stringType } from "../types/mod.ts";
import { Opaque } from "../values/mod.ts";
import { parsing, parsingTwice } from "./cost.ts";
import { type FunctionDeclaration, type Library, method, overload } from "./library.ts";

/** The type of IP addresses. */
export const ipType: CelType<IpValue> = opaqueType("net.IP");

/** An IP address. */
export class IpValue extends Opaque {
  readonly type = ipType;
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  override get size(): number {
    return this.address.bits / 8;
  }

  equals(other: Opaque): boolean {
    return other instanceof IpValue && this.address.bits === other.address.bits &&
      this.address.value === other.address.value;
  }

  toString(): string {
    return formatIpAddress(this.address);
  }
}

/** Parses an address. Zones, and IPv4 addresses written as IPv6, are refused. */
export function parseIp(text: string): IpValue | CelFault {
  const address = parseIpAddress(text);
  if (isFault(address)) {
    return failure(
      `IP Address ${quoted(text)} parse error during conversion from string: ${address.message}`,
    );
  }
  if (address.zone !== "") return failure(`IP address ${quoted(text)} with zone value is not allowed`);
  if (isMappedIpv4(address)) return failure(`IPv4-mapped IPv6 address ${quoted(text)} is not allowed`);
  return new IpValue(address);
}

/** A method without arguments that tests the class of an address. */
function predicate(name: string, id: string, holds: (address: IpAddress) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: [method({ id, takes: [ipType], gives: boolType, call: ({ address }) => holds(address) })],
  };
}

/** IP addresses: `ip(text)`, `isIP(text)`, `ip.isCanonical(text)`, `string(ip)`, and tests of an address's class. */
export const ipLibrary: Library = {
  name: "kubernetes.net.ip",
  types: [ipType],
  functions: [
    {
      name: "ip",
      overloads: [
        overload({ id: "string_to_ip", takes: [stringType], gives: ipType, call: parseIp, cost: parsing }),
      ],
    },
    {
      name: "isIP",
      overloads: [
        overload({
          id: "is_ip",
          takes: [stringType],
          gives: boolType,
          call: (text) => !isCelFault(parseIp(text)),
          cost: parsing,
        }),
      ],
    },
    {
      name: "ip.isCanonical",
      overloads: [
        overload({
          id: "ip_is_canonical",
          takes: [stringType],
          gives: boolType,
          call: (text) => {
            const ip = parseIp(text);
            return isCelFault(ip) ? ip : ip.toString() === text;
          },
          cost: parsingTwice,
        }),
      ],
    },
    {
      name: "family",
      overloads: [
        method({
          id: "ip_family",
          takes: [ipType],
          gives: intType,
          call: ({ address }) => address.bits === 32 ? 4 : 6,
        }),
      ],
    },
    predicate("isUnspecified", "ip_is_unspecified", (address) => isOfClass(address, "unspecified")),
    predicate("isLoopback", "ip_is_loopback", (address) => isOfClass(address, "loopback")),
    predicate(
      "isLinkLocalMulticast",
      "ip_is_link_local_multicast",
      (address) => isOfClass(address, "linkLocalMulticast"),
    ),
    predicate(
      "isLinkLocalUnicast",
      "ip_is_link_local_unicast",
      (address) => isOfClass(address, "linkLocalUnicast"),
    ),
    predicate("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    {
      name: "string",
      overloads: [
        overload({
          id: "ip_to_string",
          takes: [ipType],
          gives: stringType,
          call: (ip) => ip.toString(),
          folds: true,
        }),
      ],
    },
  ],
};
