import { Fault, isFault, type Json, quoted } from "../../json/mod.ts";
import { parseGoUrl } from "../go_url.ts";
import { escape, fromBytes } from "../url_escape.ts";

/** A URI in the JSON form of Go's `url.URL`, which does not show the user; a fault when Go refuses it in a name. */
export function urlJson(uri: string): Json | Fault {
  const url = parseGoUrl(uri, "reference");
  if (isFault(url)) return new Fault(`x509: cannot parse URI ${quoted(uri)}: ${url.message}`);
  const { host, path, rawPath, fragment, rawFragment } = url;
  if (!isDomain(host)) return new Fault(`x509: cannot parse URI ${quoted(uri)}: invalid domain`);
  return {
    Scheme: url.scheme,
    Opaque: fromBytes(url.opaque),
    User: url.user === undefined ? null : {},
    Host: fromBytes(host),
    Path: fromBytes(path),
    RawPath: escape(path, "path") === rawPath ? "" : fromBytes(rawPath),
    OmitHost: url.omitsHost,
    ForceQuery: url.endsInQuestionMark,
    RawQuery: fromBytes(url.rawQuery),
    Fragment: fromBytes(fragment),
    RawFragment: escape(fragment, "fragment") === rawFragment ? "" : fromBytes(rawFragment),
  };
}

/** Whether a host is absent, or made of labels of printable ASCII, none of them empty. */
function isDomain(host: string): boolean {
  return host === "" || host.split(".").every((label) => /^[!-~]+$/.test(label));
}
