import type { Json } from "../../json/mod.ts";

/** A URI in the JSON form of Go's `url.URL`, which does not show the user. */
export function urlJson(uri: string): Json {
  const [beforeFragment = "", ...fragments] = uri.split("#");
  const fragment = fragments.join("#");
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(beforeFragment)?.[0] ?? "";
  const [hierarchy = "", ...queries] = beforeFragment.slice(scheme === "" ? 0 : scheme.length + 1).split("?");
  const query = queries.join("?");
  const opaque = scheme !== "" && !hierarchy.startsWith("/") ? hierarchy : "";
  const authority = hierarchy.startsWith("//") ? hierarchy.slice(2).split("/", 1)[0]! : "";
  const path = opaque !== "" ? "" : hierarchy.slice(hierarchy.startsWith("//") ? authority.length + 2 : 0);
  const decoded = unescape(path);
  return {
    Scheme: scheme.toLowerCase(),
    Opaque: opaque,
    User: authority.includes("@") ? {} : null,
    Host: authority.slice(authority.lastIndexOf("@") + 1),
    Path: decoded,
    RawPath: escape(decoded, pathSafe) === path ? "" : path,
    OmitHost: false,
    ForceQuery: queries.length > 0 && query === "",
    RawQuery: query,
    Fragment: unescape(fragment),
    RawFragment: escape(unescape(fragment), fragmentSafe) === fragment ? "" : fragment,
  };
}

const pathSafe = /[A-Za-z0-9_.~$&+,/:;=@-]/;
const fragmentSafe = /[A-Za-z0-9_.~$&+,/:;=?@!()*-]/;

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escape(text: string, safe: RegExp): string {
  let escaped = "";
  for (const character of text) {
    if (safe.test(character)) {
      escaped += character;
      continue;
    }
    for (const byte of new TextEncoder().encode(character)) {
      escaped += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    }
  }
  return escaped;
}
