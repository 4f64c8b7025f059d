import { Fault, isFault, quoted } from "../json/mod.ts";
import { escape, fromBytes, toBytes, unescape } from "./url_escape.ts";
import { parseIpAddress } from "./ip_address.ts";

/** The most characters of a text that {@link parseGoUrl} parses. */
const maxLength = 100_000;

/** A URL as Go's `net/url` parses and prints it. Its texts are strings of bytes; the functions below decode them. */
export interface GoUrl {
  readonly scheme: string;
  /** The part after the scheme if it is not a path: `mailto:OPAQUE`. */
  readonly opaque: string;
  readonly user: { readonly name: string; readonly password: string | undefined } | undefined;
  readonly host: string;
  /** Whether there is a path after the scheme, but no `//`. */
  readonly omitsHost: boolean;
  /** The decoded path. */
  readonly path: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  /** Whether the URL ends in a `?` without a query. */
  readonly endsInQuestionMark: boolean;
  readonly fragment: string;
  readonly rawFragment: string;
}

/**
 * The required form of a text: any URI reference, or a URL of a request (with a scheme, or an absolute path).
 */
export type UrlKind = "reference" | "request";

/**
 * Reads a URL. The fault has Go's words.
 *
 * ```ts
 * import { formatUrl, hostnameOf, parseGoUrl } from "./go_url.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const url = parseGoUrl("https://example.com:8080/a b", "request");
 * assert(!isFault(url));
 * assert.equal(hostnameOf(url), "example.com");
 * assert.equal(formatUrl(url), "https://example.com:8080/a%20b");
 * ```
 */
export function parseGoUrl(text: string, kind: UrlKind): GoUrl | Fault {
  const hash = kind === "reference" ? text.indexOf("#") : -1;
  const before = hash < 0 ? text : text.slice(0, hash);
  const problem = (reason: string, of: string): Fault => new Fault(`parse ${quoted(of)}: ${reason}`);
  if (text.length > maxLength) return problem("URL is too long", text.slice(0, 100));
  const url = read(toBytes(before), kind);
  if (isFault(url)) return problem(url.message, before);
  const rawFragment = hash < 0 ? "" : toBytes(text.slice(hash + 1));
  if (rawFragment === "") return url;
  const fragment = unescape(rawFragment, "fragment");
  return isFault(fragment) ? problem(fragment.message, text) : { ...url, fragment, rawFragment };
}

function read(text: string, kind: UrlKind): GoUrl | Fault {
  if (hasControl(text)) return new Fault("net/url: invalid control character in URL");
  if (text === "" && kind === "request") return new Fault("empty url");
  if (text === "*") return { ...empty, path: "*" };
  if (text.startsWith(":")) return new Fault("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  const afterScheme = scheme === "" ? text : text.slice(scheme.length + 1);
  const queryStart = afterScheme.indexOf("?");
  const beforeQuery = queryStart < 0 ? afterScheme : afterScheme.slice(0, queryStart);
  const base = {
    ...empty,
    scheme: scheme.toLowerCase(),
    rawQuery: queryStart < 0 ? "" : afterScheme.slice(queryStart + 1),
    endsInQuestionMark: queryStart >= 0 && queryStart === afterScheme.length - 1,
  };
  if (!beforeQuery.startsWith("/")) {
    if (scheme !== "") return { ...base, opaque: beforeQuery };
    if (kind === "request") return new Fault("invalid URI for request");
    if (beforeQuery.split("/", 1)[0]!.includes(":")) {
      return new Fault("first path segment in URL cannot contain colon");
    }
  }
  const hasHost = beforeQuery.startsWith("//") &&
    (scheme !== "" || (kind === "reference" && !beforeQuery.startsWith("///")));
  if (!hasHost) return withPath({ ...base, omitsHost: scheme !== "" && beforeQuery !== "" }, beforeQuery);
  const slash = beforeQuery.indexOf("/", 2);
  const authority = readAuthority(base.scheme, beforeQuery.slice(2, slash < 0 ? undefined : slash));
  if (isFault(authority)) return authority;
  return withPath({ ...base, ...authority }, slash < 0 ? "" : beforeQuery.slice(slash));
}

const empty: GoUrl = {
  scheme: "",
  opaque: "",
  user: undefined,
  host: "",
  omitsHost: false,
  path: "",
  rawPath: "",
  rawQuery: "",
  endsInQuestionMark: false,
  fragment: "",
  rawFragment: "",
};

function withPath(url: GoUrl, rawPath: string): GoUrl | Fault {
  const path = unescape(rawPath, "path");
  return isFault(path) ? path : { ...url, path, rawPath };
}

function readAuthority(scheme: string, authority: string): Pick<GoUrl, "user" | "host"> | Fault {
  const at = authority.lastIndexOf("@");
  const host = readHost(scheme, authority.slice(at + 1));
  if (isFault(host)) return host;
  if (at < 0) return { user: undefined, host };
  const given = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(given)) return new Fault("net/url: invalid userinfo");
  const colon = given.indexOf(":");
  const name = unescape(colon < 0 ? given : given.slice(0, colon), "user");
  if (isFault(name)) return name;
  const password = colon < 0 ? undefined : unescape(given.slice(colon + 1), "user");
  return isFault(password) ? password : { user: { name, password }, host };
}

function readHost(scheme: string, text: string): string | Fault {
  const bracket = text.lastIndexOf("[");
  if (bracket > 0) return new Fault("invalid IP-literal");
  if (bracket === 0) return readLiteral(text);
  const first = text.indexOf(":");
  // Only http and https require a single colon, because URLs of databases may list several hosts.
  const colon = scheme === "http" || scheme === "https" ? first : text.lastIndexOf(":");
  const port = first < 0 ? "" : text.slice(colon);
  if (!isPort(port)) return new Fault(`invalid port ${quoted(port)} after host`);
  return unescape(text, "host");
}

/** Reads an IPv6 address in brackets, with an optional zone and port. */
function readLiteral(text: string): string | Fault {
  const end = text.lastIndexOf("]");
  if (end < 0) return new Fault("missing ']' in host");
  const port = text.slice(end + 1);
  if (!isPort(port)) return new Fault(`invalid port ${quoted(port)} after host`);
  const inside = text.slice(1, end);
  const percent = inside.indexOf("%25");
  const host = unescape(percent < 0 ? inside : inside.slice(0, percent), "host");
  if (isFault(host)) return host;
  const zone = percent < 0 ? "" : unescape(inside.slice(percent), "zone");
  if (isFault(zone)) return zone;
  const address = parseIpAddress(fromBytes(host + zone));
  if (isFault(address)) return new Fault(`invalid host: ${address.message}`);
  return address.bits === 32 ? new Fault("invalid IP-literal") : `[${host}${zone}]${port}`;
}

function isPort(text: string): boolean {
  return /^(?::[0-9]*)?$/.test(text);
}

/** Whether a text has a control character, which Go refuses in a URL. */
export function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}

/** The host with its port. */
export function hostOf({ host }: GoUrl): string {
  return fromBytes(host);
}

/** The host without port and brackets. */
export function hostnameOf(url: GoUrl): string {
  const [name] = splitHost(url.host);
  return fromBytes(name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name);
}

/** The port, or an empty text. */
export function portOf(url: GoUrl): string {
  return splitHost(url.host)[1];
}

function splitHost(host: string): readonly [name: string, port: string] {
  const colon = host.lastIndexOf(":");
  return colon >= 0 && isPort(host.slice(colon)) ? [host.slice(0, colon), host.slice(colon + 1)] : [host, ""];
}

/** The path as written if its escapes are valid, otherwise escaped anew. */
export function escapedPath({ path, rawPath }: GoUrl): string {
  return fromBytes(path === "*" ? path : written(path, rawPath, "path"));
}

/** The text as written when nothing in it must be escaped, otherwise escaped anew. */
function written(decoded: string, raw: string, component: "path" | "fragment"): string {
  const isValid = component === "path"
    ? /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/
    : /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/?]*$/;
  return isValid.test(raw) ? raw : escape(decoded, component);
}

/** The values of the query by name, without parts that have invalid escapes. */
export function queryOf({ rawQuery }: GoUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  const settings = rawQuery.split("&");
  if (settings.length > 10_000) return values;
  for (const setting of settings) {
    if (setting === "" || setting.includes(";")) continue;
    const equals = setting.indexOf("=");
    const name = unescape(equals < 0 ? setting : setting.slice(0, equals), "query");
    const value = unescape(equals < 0 ? "" : setting.slice(equals + 1), "query");
    if (isFault(name) || isFault(value)) continue;
    const key = fromBytes(name);
    values.set(key, [...values.get(key) ?? [], fromBytes(value)]);
  }
  return values;
}

/** The URL as text. */
export function formatUrl(url: GoUrl): string {
  const { scheme, opaque, user, host, path, rawQuery, fragment } = url;
  let text = scheme === "" ? "" : `${scheme}:`;
  if (opaque !== "") text += opaque;
  else {
    const hasAuthority = (scheme !== "" || host !== "" || user !== undefined) &&
      !(url.omitsHost && host === "" && user === undefined);
    if (hasAuthority) {
      if (host !== "" || path !== "" || user !== undefined) text += "//";
      if (user !== undefined) {
        const password = user.password === undefined ? "" : `:${escape(user.password, "user")}`;
        text += `${escape(user.name, "user")}${password}@`;
      }
      text += escape(host, "host");
    }
    const rest = path === "*" ? path : written(path, url.rawPath, "path");
    if (rest !== "" && !rest.startsWith("/") && host !== "") text += "/";
    if (text === "" && rest.split("/", 1)[0]!.includes(":")) text += "./";
    text += rest;
  }
  if (url.endsInQuestionMark || rawQuery !== "") text += `?${rawQuery}`;
  if (fragment !== "") text += `#${written(fragment, url.rawFragment, "fragment")}`;
  return fromBytes(text);
}
