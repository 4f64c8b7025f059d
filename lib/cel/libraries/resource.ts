import { field, isObject } from "../../json/mod.ts";
import { formatApiVersion, isObjectName, parseApiVersion } from "../../kube/mod.ts";
import { resourceNeed, unknownResourceNeed } from "../external_need.ts";
import { type CelFault, failure, isCelFault } from "../fault.ts";
import { type CelType, dynType, mapType, opaqueType, stringType } from "../types/mod.ts";
import { type CelMap, Opaque, type PlainMap } from "../values/mod.ts";
import type { ExternalCalls, ExternalReply } from "../external_calls.ts";
import { jsonObjectOf, textsOf } from "./json_value.ts";
import { type FunctionDeclaration, type Library, method, type Overload, type Result } from "./library.ts";
import { NamespaceValue } from "./namespace_value.ts";

const contextType: CelType<NamespaceValue> = opaqueType("resource.Context");
const gvrType: CelType<ResourceKind> = opaqueType("schema.GroupVersionResource");
const objectType = mapType(stringType, dynType), labelsType = mapType(stringType, stringType);

/** An API resource, which `resource.ToGVR` returns. */
class ResourceKind extends Opaque {
  readonly type = gvrType;
  readonly apiVersion: string;
  readonly plural: string;

  constructor(apiVersion: string, plural: string) {
    super();
    this.apiVersion = apiVersion;
    this.plural = plural;
  }

  equals(other: Opaque): boolean {
    return other instanceof ResourceKind && this.toString() === other.toString();
  }

  toString(): string {
    const { group, version } = parseApiVersion(this.apiVersion);
    return `${group}/${version}, Resource=${this.plural}`;
  }
}

/** The collection that an expression names. */
interface Collection {
  readonly apiVersion: string;
  /** May name a subresource: `pods/status`. */
  readonly plural: string;
  /** The namespace; empty for cluster-wide resources. */
  readonly namespace: string;
}

/** The path of a collection, or of one resource in it. Every argument becomes exactly one segment. */
function pathOf({ apiVersion, plural, namespace }: Collection, name?: string): string {
  const { group, version } = parseApiVersion(apiVersion);
  const [resource = "", ...subresources] = plural.split("/");
  const segments = [
    ...(group === "" ? ["api", version] : ["apis", group, version]),
    ...(namespace === "" ? [] : ["namespaces", namespace]),
    resource,
    ...(name === undefined ? [] : [name]),
    ...subresources,
  ];
  return segments.map((segment) => `/${segmentOf(segment)}`).join("");
}

/**
 * Escapes a part of a path. `.` and `..` are escaped too, because they would lead to other paths. Half a surrogate pair
 * becomes U+FFFD, which is in no name.
 */
function segmentOf(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll(".", "%2E") : encodeURIComponent(text.toWellFormed());
}

function failed(what: string, reply: ExternalReply & { readonly ok: false }): CelFault {
  const denied = reply.status === 401 || reply.status === 403 ? "permission denied: " : "";
  return failure(`failed to ${what} resource: ${denied}${reply.message}`);
}

function get(external: ExternalCalls, collection: Collection, name: string): Result {
  if (!isObjectName(name)) return failure("failed to get resource: name is required");
  const reply = external.call({ kind: "api", method: "GET", path: pathOf(collection, name) });
  if (isCelFault(reply)) return reply;
  if (reply.ok) return reply.body;
  // Kyverno parity: a resource that does not exist is null. Pinned by tests/cel/libraries/external_calls_test.ts.
  return reply.status === 404 ? null : failed("get", reply);
}

function list(external: ExternalCalls, collection: Collection, labels?: CelMap | PlainMap): Result {
  const texts = labels === undefined ? {} : textsOf(labels, "labels");
  if (isCelFault(texts)) return texts;
  const selector = Object.keys(texts).sort().map((key) => `${key}=${texts[key]}`).join(",");
  const query = selector === "" ? "" : `?labelSelector=${encodeURIComponent(selector.toWellFormed())}`;
  const reply = external.call({ kind: "api", method: "GET", path: `${pathOf(collection)}${query}` });
  if (isCelFault(reply)) return reply;
  return reply.ok ? reply.body : failed("list", reply);
}

function post(external: ExternalCalls, collection: Collection, object: CelMap | PlainMap): Result {
  const body = jsonObjectOf(object);
  if (isCelFault(body)) return body;
  const reply = external.call({ kind: "api", method: "POST", path: pathOf(collection), body });
  if (isCelFault(reply)) return reply;
  return reply.ok ? reply.body : failed("create", reply);
}

function toKind(external: ExternalCalls, apiVersion: string, kind: string): Result {
  const reply = external.call({ kind: "type", apiVersion, name: kind });
  if (isCelFault(reply)) return reply;
  if (!reply.ok) return failure(`failed to map kind to resource: ${reply.message}`);
  const body = isObject(reply.body) ? reply.body : {};
  const [group, version, resource] = ["group", "version", "resource"].map((key) => field(body, key));
  if (typeof group !== "string" || typeof version !== "string" || typeof resource !== "string") {
    return failure("failed to map kind to resource: the answer is no resource");
  }
  return new ResourceKind(formatApiVersion({ group, version }), resource);
}

/** The overloads for policies that can read the whole cluster. */
const clusterOverloads: Readonly<Record<string, readonly Overload[]>> = {
  Get: [
    method({
      id: "resource_get_string_string_string_string",
      takes: [contextType, stringType, stringType, stringType, stringType],
      gives: objectType,
      callOut: (external, _, apiVersion, plural, namespace, name) =>
        get(external, { apiVersion, plural, namespace }, name),
    }),
    method({
      id: "resource_get_gvr_string_string",
      takes: [contextType, gvrType, stringType, stringType],
      gives: objectType,
      callOut: (external, _, { apiVersion, plural }, namespace, name) =>
        get(external, { apiVersion, plural, namespace }, name),
    }),
  ],
  List: [
    method({
      id: "resource_list_string_string_string",
      takes: [contextType, stringType, stringType, stringType],
      gives: objectType,
      callOut: (external, _, apiVersion, plural, namespace) =>
        list(external, { apiVersion, plural, namespace }),
    }),
    method({
      id: "resource_list_string_string_string_map",
      takes: [contextType, stringType, stringType, stringType, labelsType],
      gives: objectType,
      callOut: (external, _, apiVersion, plural, namespace, labels) =>
        list(external, { apiVersion, plural, namespace }, labels),
    }),
    method({
      id: "list_resources_gvr_string",
      takes: [contextType, gvrType, stringType],
      gives: objectType,
      callOut: (external, _, { apiVersion, plural }, namespace) =>
        list(external, { apiVersion, plural, namespace }),
    }),
    method({
      id: "list_resources_gvr_string_map",
      takes: [contextType, gvrType, stringType, labelsType],
      gives: objectType,
      callOut: (external, _, { apiVersion, plural }, namespace, labels) =>
        list(external, { apiVersion, plural, namespace }, labels),
    }),
  ],
  Post: [
    method({
      id: "resource_post_string_string_string_map",
      takes: [contextType, stringType, stringType, stringType, objectType],
      gives: objectType,
      callOut: (external, _, apiVersion, plural, namespace, object) =>
        post(external, { apiVersion, plural, namespace }, object),
    }),
    method({
      id: "resource_post_string_string_map",
      takes: [contextType, stringType, stringType, objectType],
      gives: objectType,
      callOut: (external, _, apiVersion, plural, object) =>
        post(external, { apiVersion, plural, namespace: "" }, object),
    }),
  ],
};

/** The overloads for policies that can read one namespace only; they have no namespace argument. */
function namespacedOverloads(namespace: string): Readonly<Record<string, readonly Overload[]>> {
  return {
    Get: [
      method({
        id: "resource_get_string_string_string",
        takes: [contextType, stringType, stringType, stringType],
        gives: objectType,
        callOut: (external, _, apiVersion, plural, name) =>
          get(external, { apiVersion, plural, namespace }, name),
      }),
      method({
        id: "resource_get_gvr_string",
        takes: [contextType, gvrType, stringType],
        gives: objectType,
        callOut: (external, _, { apiVersion, plural }, name) =>
          get(external, { apiVersion, plural, namespace }, name),
      }),
    ],
    List: [
      method({
        id: "resource_list_string_string",
        takes: [contextType, stringType, stringType],
        gives: objectType,
        callOut: (external, _, apiVersion, plural) => list(external, { apiVersion, plural, namespace }),
      }),
      method({
        id: "resource_list_string_string_map",
        takes: [contextType, stringType, stringType, labelsType],
        gives: objectType,
        callOut: (external, _, apiVersion, plural, labels) =>
          list(external, { apiVersion, plural, namespace }, labels),
      }),
      method({
        id: "list_resources_gvr",
        takes: [contextType, gvrType],
        gives: objectType,
        callOut: (external, _, { apiVersion, plural }) => list(external, { apiVersion, plural, namespace }),
      }),
      method({
        id: "list_resources_gvr_map",
        takes: [contextType, gvrType, labelsType],
        gives: objectType,
        callOut: (external, _, { apiVersion, plural }, labels) =>
          list(external, { apiVersion, plural, namespace }, labels),
      }),
    ],
    Post: [
      method({
        id: "resource_post_string_string_map",
        takes: [contextType, stringType, stringType, objectType],
        gives: objectType,
        callOut: (external, _, apiVersion, plural, object) =>
          post(external, { apiVersion, plural, namespace }, object),
      }),
    ],
  };
}

const toGvr: readonly Overload[] = [
  method({
    id: "convert_to_gvr_string_string",
    takes: [contextType, stringType, stringType],
    gives: gvrType,
    callOut: (external, _, apiVersion, kind) => toKind(external, apiVersion, kind),
  }),
];

/** Each function under its name and in lower camel case: `Get` and `get`, `ToGVR` and `toGVR`. */
export function bothSpellings(table: Readonly<Record<string, readonly Overload[]>>): FunctionDeclaration[] {
  return Object.entries(table).flatMap(([name, overloads]) => [
    { name, overloads },
    { name: name[0]!.toLowerCase() + name.slice(1), overloads },
  ]);
}

/** The overload with the needs of its calls. */
function needing(verb: "get" | "list" | "create", overload: Overload): Overload {
  const namesType = overload.parameters[1] !== gvrType;
  return {
    ...overload,
    needs: (args) => [namesType ? resourceNeed(verb, args) : unknownResourceNeed(verb)],
  };
}

/**
 * Resources of the cluster: `resource.Get`, `List`, `Post` and `ToGVR`. A namespaced policy can read only its
 * namespace, and its calls have no namespace argument.
 */
export function resourceLibrary(namespace?: string): Library {
  const { Get = [], List = [], Post = [] } = namespace === undefined
    ? clusterOverloads
    : namespacedOverloads(namespace);
  const overloads = {
    Get: Get.map((each) => needing("get", each)),
    List: List.map((each) => needing("list", each)),
    Post: Post.map((each) => needing("create", each)),
  };
  return {
    name: "kyverno.resource",
    constants: { resource: { type: contextType, value: new NamespaceValue(contextType) } },
    functions: bothSpellings({ ...overloads, ToGVR: toGvr }),
  };
}
