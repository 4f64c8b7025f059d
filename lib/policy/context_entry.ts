import { asList, asObject, asString, asTexts, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { RegistryCredentials } from "../ports.ts";
import type { Shape } from "./shape.ts";

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

/** `variable`: a value, a query, or a query applied to a value. */
export interface VariableEntry {
  readonly kind: "variable";
  readonly name: string;
  readonly value: Json | undefined;
  /** The query; empty when there is none. */
  readonly jmesPath: string;
  readonly default: Json | undefined;
}

/** `configMap`: an object with the data and the metadata of a ConfigMap. */
export interface ConfigMapEntry {
  readonly kind: "configMap";
  readonly name: string;
  readonly configMap: { readonly name: string; readonly namespace: string };
}

/** `apiCall`: the answer of the API server or of a service. */
export interface ApiCallEntry {
  readonly kind: "apiCall";
  readonly name: string;
  readonly call: ApiCallSpec;
}

/** `globalReference`: the data of a GlobalContextEntry, or a projection of it. */
export interface GlobalReferenceEntry {
  readonly kind: "globalReference";
  readonly name: string;
  readonly reference: string;
  readonly jmesPath: string;
}

/** `imageRegistry`: the manifest and configuration of an image. */
export interface ImageRegistryEntry {
  readonly kind: "imageRegistry";
  readonly name: string;
  readonly reference: string;
  readonly jmesPath: string;
  readonly credentials: RegistryCredentials | undefined;
}

/** An entry of a rule's `context`, parsed. Texts are templates. */
export type EntrySpec =
  | VariableEntry
  | ConfigMapEntry
  | ApiCallEntry
  | GlobalReferenceEntry
  | ImageRegistryEntry
  | { readonly kind: "unknown"; readonly name: string };

/** The kinds of context entries. */
export type EntryKind = Exclude<EntrySpec["kind"], "unknown">;

/** An entry of one kind: `EntryOf<"apiCall">`. */
export type EntryOf<Kind extends EntryKind> = Extract<EntrySpec, { kind: Kind }>;

/** The format of one kind of entry: its shape and its parser. */
interface EntryFormat<Kind extends EntryKind> {
  readonly shape: Shape;
  read(name: string, written: JsonObject): EntryOf<Kind>;
}

/** The fields of a call: those of context entries and of GlobalContextEntries. */
export const apiCallShape = {
  urlPath: "text",
  method: "text",
  data: [{ key: "text", value: "open" }],
  service: { url: "text", caBundle: "text", headers: [{ key: "text", value: "text" }] },
} as const satisfies Shape;

/** The kinds of context entries, by their field. `lib/context` compiles and loads them. */
const formats: { readonly [Kind in EntryKind]: EntryFormat<Kind> } = {
  variable: {
    shape: { value: "open", jmesPath: "text", default: "open" },
    read: (name, written) => ({
      kind: "variable",
      name,
      value: given(written["value"]),
      jmesPath: text(written["jmesPath"]),
      default: given(written["default"]),
    }),
  },
  configMap: {
    shape: { name: "text", namespace: "text" },
    read: (name, written) => ({
      kind: "configMap",
      name,
      configMap: { name: text(written["name"]), namespace: text(written["namespace"]) },
    }),
  },
  apiCall: {
    shape: { ...apiCallShape, jmesPath: "text", default: "open" },
    read: (name, written) => ({ kind: "apiCall", name, call: parseApiCall(written) }),
  },
  globalReference: {
    shape: { name: "text", jmesPath: "text" },
    read: (name, written) => ({
      kind: "globalReference",
      name,
      reference: text(written["name"]),
      jmesPath: text(written["jmesPath"]),
    }),
  },
  imageRegistry: {
    shape: { reference: "text", jmesPath: "text", imageRegistryCredentials: "open" },
    read: (name, written) => ({
      kind: "imageRegistry",
      name,
      reference: text(written["reference"]),
      jmesPath: text(written["jmesPath"]),
      credentials: parseRegistryCredentials(written["imageRegistryCredentials"]),
    }),
  },
};

/** The names of all kinds of entries, for messages. */
export const entryKinds = Object.keys(formats) as readonly EntryKind[];

/** The shape of a list of context entries. */
export const contextShape: Shape = [{
  name: "text",
  ...Object.fromEntries(entryKinds.map((kind) => [kind, formats[kind].shape])),
}];

/** Parses the entries of a `context` list, without those that are not objects. */
export function parseContext(written: Json | undefined): readonly EntrySpec[] {
  return asList(written).filter(isObject).map((entry): EntrySpec => {
    const name = text(entry["name"]);
    for (const kind of entryKinds) {
      const spec = asObject(entry[kind]);
      if (spec !== undefined) return formats[kind].read(name, spec);
    }
    return { kind: "unknown", name };
  });
}

/** Parses an API call of a context entry or of a GlobalContextEntry. */
export function parseApiCall(written: JsonObject): ApiCallSpec {
  const service = asObject(written["service"]);
  return {
    method: written["method"] === "POST" ? "POST" : "GET",
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

/** Parses `imageRegistryCredentials`. */
export function parseRegistryCredentials(written: Json | undefined): RegistryCredentials | undefined {
  return isObject(written)
    ? {
      allowInsecureRegistry: written["allowInsecureRegistry"] === true,
      providers: asTexts(written["providers"]),
      secrets: asTexts(written["secrets"]),
    }
    : undefined;
}

function pairs(written: Json | undefined): readonly { readonly key: Json; readonly value: Json }[] {
  return asList(written).filter(isObject).map(({ key = "", value = null }) => ({ key, value }));
}

function text(value: Json | undefined): string {
  return asString(value) ?? "";
}

function given(value: Json | undefined): Json | undefined {
  return value === null ? undefined : value;
}
