import { Fault, isFault } from "../../json/mod.ts";
import { type IpAddress, isOfClass, parseIpAddress, unmapped } from "../../kube/mod.ts";
import { cleanPath } from "../clean_path.ts";
import { urlHost } from "../url_host.ts";
import { perCharacter } from "../costs.ts";
import { functionFault } from "./fault.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

/** Kyverno's functions of paths and URLs. */
export const locations: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "path_canonicalize",
    parameters: [parameter("path", "string")],
    returns: ["string"],
    cost: perCharacter(1),
    // As Go's `filepath.Join` of one part, which leaves the empty path empty.
    apply: ([path]) => path === "" ? "" : cleanPath(path as string),
  },
  {
    kind: "plain",
    name: "is_external_url",
    parameters: [parameter("url", "string")],
    returns: ["boolean"],
    steps: 16,
    apply: ([url]) => {
      const host = urlHost(url as string);
      if (host instanceof Fault) return host;
      const address = parseIpAddress(withoutZone(host));
      if (!isFault(address)) return !isInternal(unmapped(address));
      return functionFault("is_external_url", `host "${host}" is no IP address, and names are not looked up`);
    },
  },
];

function isInternal(address: IpAddress): boolean {
  return isOfClass(address, "loopback") || isOfClass(address, "private");
}

/** A host without a zone, as in `fe80::1%eth0`: it is not a part of the address. */
function withoutZone(host: string): string {
  const colon = host.indexOf(":"), zone = host.lastIndexOf("%");
  return colon >= 0 && zone > colon ? host.slice(0, zone) : host;
}

/** The notes of these functions. */
export const locationNotes: FunctionNotes = {
  path_canonicalize: {
    summary: "A file path without `.`, `..`, double and trailing slashes.",
    examples: [{ expression: "path_canonicalize('~//../a//b/./')", result: "a/b" }],
  },
  is_external_url: {
    summary:
      "Whether a URL's host is an IP address that is neither private nor loopback. Host names are an error: " +
      "nothing is looked up in the network during an evaluation.",
    examples: [
      { expression: "is_external_url('http://1.1.1.1/')", result: true },
      { expression: "is_external_url('https://10.0.0.1:8443/x')", result: false },
    ],
  },
};
