import { Fault } from "../json/mod.ts";

/** Texts longer than any URL are not looked at. */
const maxLength = 10_000;

/** The host of a URL without port and brackets as Go's `net/url` reads it; empty when it has none. */
export function urlHost(url: string): string | Fault {
  const problem = (reason: string): Fault =>
    new Fault(`parse ${JSON.stringify(url.slice(0, 200))}: ${reason}`);
  if (url.length > maxLength) return problem("URL is too long");
  if (hasControl(url)) return problem("net/url: invalid control character in URL");
  const [withoutFragment = ""] = url.split("#", 1);
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(withoutFragment)?.[0];
  if (scheme === undefined && withoutFragment.startsWith(":")) return problem("missing protocol scheme");
  const rest = withoutFragment.slice(scheme?.length ?? 0);
  if (!rest.startsWith("//")) {
    const colon = rest.indexOf(":"), slash = rest.indexOf("/");
    const colonFirst = scheme === undefined && colon >= 0 && (slash < 0 || colon < slash);
    return colonFirst ? problem("first path segment in URL cannot contain colon") : "";
  }
  const authority = /^[^/?]*/.exec(rest.slice(2))![0];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    if (end < 0) return problem("missing ']' in host");
    const port = host.slice(end + 1);
    if (!/^(?::[0-9]*)?$/.test(port)) return problem(`invalid port ${JSON.stringify(port)} after host`);
    // A zone such as `%25eth0` is no part of the address.
    return host.slice(1, end).replace("%25", "%");
  }
  const colon = host.lastIndexOf(":");
  if (colon < 0) return host;
  const port = host.slice(host.indexOf(":"));
  if (!/^:[0-9]*$/.test(host.slice(colon))) return problem(`invalid port ${JSON.stringify(port)} after host`);
  return host.slice(0, colon);
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

/** An IP address as 16 bytes; IPv4 addresses are mapped into IPv6. */
export type HostAddress = readonly number[];

/** Reads an IPv4 or IPv6 address; `undefined` when the text is none. Zones are not accepted. */
export function ipAddress(text: string): HostAddress | undefined {
  const four = ipv4(text);
  if (four !== undefined) return [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...four];
  return text.includes(":") && text.length <= 45 ? ipv6(text) : undefined;
}

function ipv4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  // A leading zero might mean octal, so Go refuses it.
  if (!parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.map(Number);
}

function ipv6(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => groups(half, index === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - tail!.length;
  return missing < 2 ? undefined : [...head, ...new Array<number>(missing).fill(0), ...tail!];
}

/** The bytes of colon-separated groups, the last of which may be an IPv4 address. */
function groups(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const four = isLast && index === parts.length - 1 && part.includes(".") ? ipv4(part) : undefined;
    if (four !== undefined) {
      bytes.push(...four);
      continue;
    }
    if (!/^[0-9A-Fa-f]{1,4}$/.test(part)) return undefined;
    const value = parseInt(part, 16);
    bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
}

/** Whether an address is loopback (127/8, ::1) or private (10/8, 172.16/12, 192.168/16, fc00::/7). */
export function isInternal(address: HostAddress): boolean {
  const isIpv4 = address.slice(0, 10).every((byte) => byte === 0) && address[10] === 255 &&
    address[11] === 255;
  if (!isIpv4) {
    const isLoopback = address.slice(0, 15).every((byte) => byte === 0) && address[15] === 1;
    return isLoopback || (address[0]! & 0xfe) === 0xfc;
  }
  const [first, second] = address.slice(12) as [number, number];
  if (first === 127 || first === 10) return true;
  return first === 172 ? (second & 0xf0) === 16 : first === 192 && second === 168;
}
