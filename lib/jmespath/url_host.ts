import { Fault } from "../json/mod.ts";
import { hasControl } from "../kube/mod.ts";

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
