import { asList, asObject, asString, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import type { Shape } from "../../shape/mod.ts";
import { given, text } from "./written.ts";

/** A call to the API server (`urlPath`) or to a service; its texts are templates. */
export interface ApiCallSpec {
  readonly method: "GET" | "POST";
  /** The path and query at the API server; empty when the call is to a service or to nothing. */
  readonly urlPath: string;
  /** `undefined` for a call to the API server. */
  readonly service: ServiceSpec | undefined;
  /** The body of a POST: an object with these keys. */
  readonly body: readonly { readonly key: Json; readonly value: Json }[];
  readonly jmesPath: string;
  /** The value for a call that fails. */
  readonly default: Json | undefined;
}

/** The service that is called. */
export interface ServiceSpec {
  readonly url: string;
  /** PEM certificates that replace the system's roots. */
  readonly caBundle: string | undefined;
  readonly headers: readonly { readonly key: Json; readonly value: Json }[];
}

/** The fields of a call: those of context entries and of GlobalContextEntries. */
export const apiCallShape = {
  urlPath: "text",
  method: new Set(["GET", "POST"]),
  data: [{ key: "text", value: "open" }],
  service: { url: "text", caBundle: "text", headers: [{ key: "text", value: "text" }] },
} as const satisfies Shape;

/** Parses an API call of a context entry or a GlobalContextEntry. */
export function parseApiCall(written: JsonObject): ApiCallSpec {
  const service = asObject(written["service"]);
  return {
    method: text(written["method"]).toUpperCase() === "POST" ? "POST" : "GET",
    urlPath: text(written["urlPath"]),
    service: service && {
      url: text(service["url"]),
      caBundle: asString(service["caBundle"]),
      headers: pairs(service["headers"]),
    },
    body: pairs(written["data"]),
    jmesPath: text(written["jmesPath"]),
    default: given(written["default"]),
  };
}

function pairs(written: Json | undefined): readonly { readonly key: Json; readonly value: Json }[] {
  return asList(written).filter(isObject).map(({ key = "", value = null }) => ({ key, value }));
}
