import { isObject, type Json, quoted } from "../../json/mod.ts";
import type { AddressRules } from "../../kube/mod.ts";
import { serviceNeed } from "../external_need.ts";
import { failure, isCelFault } from "../fault.ts";
import { celToJson } from "../json.ts";
import { type CelType, dynType, mapType, opaqueType, stringType } from "../types/mod.ts";
import { type CelMap, Opaque, plainEntry, type PlainMap, type Value } from "../values/mod.ts";
import type { ExternalCalls, HttpRequest } from "../external_calls.ts";
import { textsOf, withDoubles } from "./json_value.ts";
import { type Library, method, type Result } from "./library.ts";
import { bothSpellings } from "./resource.ts";

const contextType: CelType<HttpClient> = opaqueType("http.Context");
const headersType = mapType(stringType, stringType);

/** The value of `http`, and of `http.Client(pem)`. */
class HttpClient extends Opaque {
  readonly type = contextType;
  readonly caBundle: string;

  constructor(caBundle: string) {
    super();
    this.caBundle = caBundle;
  }

  equals(other: Opaque): boolean {
    return other instanceof HttpClient && this.caBundle === other.caBundle;
  }

  toString(): string {
    return this.type.name;
  }
}

/** The addresses that expressions may call. */
export interface HttpLibraryOptions {
  /** The rules for addresses; all may be called when absent. */
  readonly addresses?: AddressRules;
  /** Why `http` may not be called, as in namespaced policies. */
  readonly refusal?: string;
}

type Call = {
  readonly method: HttpRequest["method"];
  readonly url: string;
  readonly body?: Value;
  readonly headers?: CelMap | PlainMap;
};

/** The result of a call: an object's fields and `statusCode`; any other body under `body`. */
function response(status: number, body: Json): Result {
  const json = withDoubles(body);
  if (!isObject(body)) return { body: json, statusCode: status };
  const fields: { [key: string]: Value } = { statusCode: status };
  for (const key of Object.keys(body)) {
    if (key === "statusCode") continue;
    const value = plainEntry(json as PlainMap, key)!;
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return fields;
}

function request(external: ExternalCalls, { caBundle }: HttpClient, call: Call & HttpLibraryOptions): Result {
  const { method, url, addresses } = call;
  const refusal = call.refusal ?? refusalOf(url, addresses);
  if (refusal !== undefined) return failure(`request failed: ${refusal}`);
  const headers = call.headers === undefined ? {} : textsOf(call.headers, "headers");
  if (isCelFault(headers)) return headers;
  const body = call.body === undefined ? undefined : celToJson(call.body);
  if (isCelFault(body)) return body;
  const reply = external.call({
    kind: "http",
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(caBundle === "" ? {} : { caBundle }),
  });
  if (isCelFault(reply)) return reply;
  // An answer with an error status is a value, not an error.
  if (reply.ok) return response(reply.status, reply.body);
  return reply.status === undefined
    ? failure(`request failed: ${reply.message}`)
    : response(reply.status, reply.body ?? null);
}

function refusalOf(text: string, addresses: AddressRules | undefined): string | undefined {
  if (addresses === undefined) return undefined;
  return URL.canParse(text) ? addresses.refusesUrl(new URL(text)) : `invalid URL: ${quoted(text)}`;
}

/**
 * Calls to services: `http.Get(url[, headers])`, `http.Post(url, body[, headers])`, and `http.Client(pem)` for services
 * with certificates of their own.
 */
export function httpLibrary(options: HttpLibraryOptions): Library {
  return {
    name: "kyverno.http",
    constants: { http: { type: contextType, value: new HttpClient("") } },
    functions: bothSpellings({
      Get: [
        method({
          id: "http_get_string",
          needs: (args) => [serviceNeed(args)],
          takes: [contextType, stringType],
          gives: dynType,
          callOut: (external, client, url) => request(external, client, { method: "GET", url, ...options }),
        }),
        method({
          id: "http_get_string_headers",
          needs: (args) => [serviceNeed(args)],
          takes: [contextType, stringType, headersType],
          gives: dynType,
          callOut: (external, client, url, headers) =>
            request(external, client, { method: "GET", url, headers, ...options }),
        }),
      ],
      Post: [
        method({
          id: "http_post_string_any",
          needs: (args) => [serviceNeed(args)],
          takes: [contextType, stringType, dynType],
          gives: dynType,
          callOut: (external, client, url, body) =>
            request(external, client, { method: "POST", url, body, ...options }),
        }),
        method({
          id: "http_post_string_any_headers",
          needs: (args) => [serviceNeed(args)],
          takes: [contextType, stringType, dynType, headersType],
          gives: dynType,
          callOut: (external, client, url, body, headers) =>
            request(external, client, { method: "POST", url, body, headers, ...options }),
        }),
      ],
      Client: [
        method({
          id: "http_client_string",
          takes: [contextType, stringType],
          gives: contextType,
          call: (client, caBundle) => {
            if (caBundle === "") return client;
            return caBundle.includes("-----BEGIN CERTIFICATE-----")
              ? new HttpClient(caBundle)
              : failure("request failed: failed to parse PEM CA bundle for APICall");
          },
        }),
      ],
    }),
  };
}
