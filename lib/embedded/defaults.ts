import { asObject, asString, dig, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { encodeBase64, nameOf, typeOf } from "../kube/mod.ts";

type Edit = { [name: string]: Json };

/**
 * Functions that set the API server's defaults for the kinds that policies read, by `group/Kind`. Other kinds are
 * kept as they are.
 */
const completions: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
  "/Namespace": (object) => {
    const labels = { ...asObject(dig(object, "metadata", "labels")) };
    labels["kubernetes.io/metadata.name"] = nameOf(object);
    return {
      ...object,
      metadata: { ...asObject(field(object, "metadata")), labels },
      spec: { finalizers: ["kubernetes"], ...asObject(field(object, "spec")) },
      status: { phase: "Active", ...asObject(field(object, "status")) },
    };
  },
  "/Secret": (object) => {
    const { stringData, ...rest } = object;
    const completed: Edit = { type: "Opaque", ...rest };
    if (isObject(stringData)) {
      const encoded = Object.entries(stringData).map(([key, value]) =>
        [key, encodeBase64(new TextEncoder().encode(asString(value) ?? ""))] as const
      );
      completed["data"] = { ...asObject(rest["data"]), ...Object.fromEntries(encoded) };
    }
    return completed;
  },
};

/**
 * An object with the API server's defaults that look-ups show: a Namespace's name label and phase, a Secret's
 * `stringData` as `data`. Other defaults (of pod templates, for example) are not set.
 */
export function completed(object: JsonObject): JsonObject {
  const { group, kind } = typeOf(object);
  const completion = Object.hasOwn(completions, `${group}/${kind}`)
    ? completions[`${group}/${kind}`]
    : undefined;
  return completion === undefined ? object : completion(object);
}
