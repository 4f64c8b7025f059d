import { isFault } from "../../json/mod.ts";
import {
  escapedPath,
  formatUrl,
  type GoUrl,
  hostnameOf,
  hostOf,
  parseGoUrl,
  portOf,
  queryOf,
} from "../../kube/mod.ts";
import { readingEffort } from "../effort.ts";
import { failure } from "../fault.ts";
import { boolType, type CelType, listType, mapType, opaqueType, stringType } from "../types/mod.ts";
import { CelMap, Opaque } from "../values/mod.ts";
import { parsing } from "./cost.ts";
import { type FunctionDeclaration, type Library, method, overload, type Result } from "./library.ts";

const urlType: CelType<UrlValue> = opaqueType("kubernetes.URL");

class UrlValue extends Opaque {
  readonly type = urlType;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: Opaque): boolean {
    return other instanceof UrlValue && formatUrl(this.url) === formatUrl(other.url);
  }

  toString(): string {
    return formatUrl(this.url);
  }
}

function parse(text: string): Result {
  // Only absolute URLs and paths are accepted; parsing as a reference then removes the fragment.
  const request = parseGoUrl(text, "request");
  const url = isFault(request) ? request : parseGoUrl(text, "reference");
  return isFault(url)
    ? failure(`URL parse error during conversion from string: ${url.message}`)
    : new UrlValue(url);
}

function query(url: GoUrl): CelMap {
  const map = new CelMap();
  for (const [name, values] of queryOf(url)) map.set(name, values);
  return map;
}

/** A method without arguments that returns one part of a URL. */
function part(name: string, id: string, read: (url: GoUrl) => string): FunctionDeclaration {
  return {
    name,
    overloads: [method({ id, takes: [urlType], gives: stringType, call: ({ url }) => read(url) })],
  };
}

/** URLs: `url(text)`, `isURL(text)`, and the parts of a URL. */
export const urlLibrary: Library = {
  name: "kubernetes.urls",
  functions: [
    {
      name: "url",
      overloads: [
        overload({ id: "string_to_url", takes: [stringType], gives: urlType, call: parse, cost: parsing }),
      ],
    },
    {
      name: "isURL",
      overloads: [
        overload({
          id: "is_url_string",
          takes: [stringType],
          gives: boolType,
          call: (text) => !isFault(parseGoUrl(text, "request")),
          effort: readingEffort(10),
        }),
      ],
    },
    part("getScheme", "url_get_scheme", ({ scheme }) => scheme),
    part("getHost", "url_get_host", hostOf),
    part("getHostname", "url_get_hostname", hostnameOf),
    part("getPort", "url_get_port", portOf),
    part("getEscapedPath", "url_get_escaped_path", escapedPath),
    {
      name: "getQuery",
      overloads: [
        method({
          id: "url_get_query",
          takes: [urlType],
          gives: mapType(stringType, listType(stringType)),
          call: ({ url }) => query(url),
        }),
      ],
    },
  ],
};
