import { isObject, type Json } from "../../json/mod.ts";
import { failure, isCelFault } from "../fault.ts";
import { type CelType, dynType, opaqueType, stringType } from "../types/mod.ts";
import type { ExternalCalls } from "../external_calls.ts";
import { type Library, method, type Result } from "./library.ts";
import { NamespaceValue } from "./namespace_value.ts";
import { bothSpellings } from "./resource.ts";

const contextType: CelType<NamespaceValue> = opaqueType("globalcontext.Context");

function get(external: ExternalCalls, name: string, projection: string): Result {
  const reply = external.call({ kind: "global", name, projection });
  if (isCelFault(reply)) return reply;
  if (reply.ok) return withGoName(reply.body);
  // Kyverno parity: an entry that does not exist is null. Pinned by tests/cel/libraries/external_calls_test.ts.
  return reply.status === 404 ? null : failure(`failed to get global reference: ${reply.message}`);
}

/**
 * Kyverno parity: an object of Kubernetes is Go's Unstructured there, whose content is in the field `Object`; here its
 * fields can be read as well. Pinned by tests/cel/libraries/external_calls_test.ts.
 */
function withGoName(body: Json): Json {
  if (!isObject(body) || !Object.hasOwn(body, "apiVersion") || !Object.hasOwn(body, "kind")) return body;
  return { ...body, Object: body };
}

/** Entries of the global context: `globalContext.Get(name[, projection])`. */
export const globalContextLibrary: Library = {
  name: "kyverno.globalcontext",
  constants: { globalContext: { type: contextType, value: new NamespaceValue(contextType) } },
  functions: bothSpellings({
    Get: [
      method({
        id: "globalcontext_get_string",
        needs: () => [{ kind: "globalEntry" }],
        takes: [contextType, stringType],
        gives: dynType,
        callOut: (external, _, name) => get(external, name, ""),
      }),
      method({
        id: "globalcontext_get_string_string",
        needs: () => [{ kind: "globalEntry" }],
        takes: [contextType, stringType, stringType],
        gives: dynType,
        callOut: (external, _, name, projection) => get(external, name, projection),
      }),
    ],
  }),
};
