import { isFault, quoted } from "../../json/mod.ts";
import {
  containsAddress,
  containsPrefix,
  formatIpPrefix,
  type IpPrefix,
  isMappedIpv4,
  maskedPrefix,
  parseIpPrefix,
} from "../../kube/mod.ts";
import { CelFault, isCelFault, noSuchOverload } from "../fault.ts";
import { boolType, type CelType, intType, opaqueType, stringType } from "../types/mod.ts";
import { costSize, Opaque } from "../values/mod.ts";
import { parsing } from "./cost.ts";
import { ipType, IpValue, parseIp } from "./ip.ts";
import { type Library, method, overload, type Result } from "./library.ts";

const cidrType: CelType<CidrValue> = opaqueType("net.CIDR");

class CidrValue extends Opaque {
  readonly type = cidrType;
  readonly prefix: IpPrefix;

  constructor(prefix: IpPrefix) {
    super();
    this.prefix = prefix;
  }

  override get size(): number {
    return Math.ceil(this.prefix.length / 8);
  }

  equals(other: Opaque): boolean {
    return other instanceof CidrValue && this.toString() === other.toString();
  }

  toString(): string {
    return formatIpPrefix(this.prefix);
  }
}

function parse(text: string): CidrValue | CelFault {
  const problem = "network address parse error during conversion from string: ";
  const prefix = parseIpPrefix(text);
  if (isFault(prefix)) {
    const kind = prefix.message.endsWith("out of range") ? "range" : "other";
    return new CelFault(kind, `${problem}${problem}${prefix.message}`);
  }
  return isMappedIpv4(prefix.address)
    ? new CelFault("other", `${problem}IPv4-mapped IPv6 address ${quoted(text)} is not allowed`)
    : new CidrValue(prefix);
}

/** The cost of comparing as many bytes as the network's prefix has. */
function comparing(cidr: Result | undefined): number {
  return Math.ceil(costSize(cidr) * 2 * 0.1);
}

/** The cost of comparing networks: the outer one is masked first. */
function comparingNetworks(cidr: Result | undefined): number {
  return comparing(cidr) + parsing([cidr!]) + 1;
}

/** IP networks: `cidr(text)`, `isCIDR(text)`, `string(cidr)`, containment and parts. */
export const cidrLibrary: Library = {
  name: "kubernetes.net.cidr",
  types: [cidrType],
  functions: [
    {
      name: "cidr",
      overloads: [
        overload({ id: "string_to_cidr", takes: [stringType], gives: cidrType, call: parse, cost: parsing }),
      ],
    },
    {
      name: "isCIDR",
      overloads: [
        overload({
          id: "is_cidr",
          takes: [stringType],
          gives: boolType,
          call: (text) => !isCelFault(parse(text)),
          cost: parsing,
        }),
      ],
    },
    {
      name: "containsIP",
      overloads: [
        method({
          id: "cidr_contains_ip_string",
          takes: [cidrType, stringType],
          gives: boolType,
          call: ({ prefix }, text) => {
            const ip = parseIp(text);
            // Kyverno parity: a text that is no address is "no such overload", as in Kubernetes. Pinned by
            // tests/cel/libraries/addresses_test.ts.
            return isCelFault(ip) ? noSuchOverload() : containsAddress(prefix, ip.address);
          },
          cost: ([cidr, text]) => comparing(cidr) + parsing([text!]),
        }),
        method({
          id: "cidr_contains_ip_ip",
          takes: [cidrType, ipType],
          gives: boolType,
          call: ({ prefix }, { address }) => containsAddress(prefix, address),
          cost: ([cidr]) => comparing(cidr),
        }),
      ],
    },
    {
      name: "containsCIDR",
      overloads: [
        method({
          id: "cidr_contains_cidr_string",
          takes: [cidrType, stringType],
          gives: boolType,
          call: ({ prefix }, text) => {
            const inner = parse(text);
            return isCelFault(inner) ? inner : containsPrefix(prefix, inner.prefix);
          },
          cost: ([cidr, text]) => comparingNetworks(cidr) + parsing([text!]),
        }),
        method({
          id: "cidr_contains_cidr",
          takes: [cidrType, cidrType],
          gives: boolType,
          call: ({ prefix }, inner) => containsPrefix(prefix, inner.prefix),
          cost: ([cidr]) => comparingNetworks(cidr),
        }),
      ],
    },
    {
      name: "ip",
      overloads: [
        method({
          id: "cidr_ip",
          takes: [cidrType],
          gives: ipType,
          call: ({ prefix }) => new IpValue(prefix.address),
        }),
      ],
    },
    {
      name: "prefixLength",
      overloads: [
        method({
          id: "cidr_prefix_length",
          takes: [cidrType],
          gives: intType,
          call: ({ prefix }) => prefix.length,
        }),
      ],
    },
    {
      name: "masked",
      overloads: [
        method({
          id: "cidr_masked",
          takes: [cidrType],
          gives: cidrType,
          call: ({ prefix }) => new CidrValue(maskedPrefix(prefix)),
        }),
      ],
    },
    {
      name: "string",
      overloads: [
        overload({
          id: "cidr_to_string",
          takes: [cidrType],
          gives: stringType,
          call: (cidr) => cidr.toString(),
          folds: true,
        }),
      ],
    },
  ],
};
