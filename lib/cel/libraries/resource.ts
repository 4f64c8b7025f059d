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

/** A function that reads or writes a collection. */
interface CollectionFunction {
  readonly verb: "get" | "list" | "create";
  /** The id of the overload up to the namespace, which not all policies may choose, and behind it. */
  readonly id: readonly [upTo: string, behind: string];
  /** How a call names the collection: by apiVersion and plural, or by what `ToGVR` returned. */
  readonly by: "texts" | "gvr";
  /** The type of the last argument: a name, labels or an object. */
  readonly last?: CelType;
  readonly run: (external: ExternalCalls, collection: Collection, last: never) => Result;
}

/** The overload of a function for a namespace; where that is `undefined`, an argument names the namespace. */
function collectionOverload(
  { verb, id: [upTo, behind], by, last, run }: CollectionFunction,
  namespace: string | undefined,
): Overload {
  const isChosen = namespace === undefined;
  return method({
    id: upTo + (isChosen ? "_string" : "") + behind,
    takes: [
      contextType,
      ...(by === "gvr" ? [gvrType] : [stringType, stringType]),
      ...(isChosen ? [stringType] : []),
      ...(last === undefined ? [] : [last]),
    ],
    gives: objectType,
    callOut: (external, _, ...args: unknown[]) => {
      const { apiVersion, plural } = by === "gvr"
        ? args.shift() as ResourceKind
        : { apiVersion: args.shift() as string, plural: args.shift() as string };
      const within = namespace ?? args.shift() as string;
      return run(external, { apiVersion, plural, namespace: within }, args[0] as never);
    },
    needs: (args) => [by === "texts" ? resourceNeed(verb, args) : unknownResourceNeed(verb)],
  });
}

const getting = { verb: "get", last: stringType, run: get } as const;
const listing = { verb: "list", run: list } as const;
const posting: CollectionFunction = {
  by: "texts",
  verb: "create",
  id: ["resource_post_string_string", "_map"],
  last: objectType,
  run: post,
};

const gets: readonly CollectionFunction[] = [
  { ...getting, by: "texts", id: ["resource_get_string_string", "_string"] },
  { ...getting, by: "gvr", id: ["resource_get_gvr", "_string"] },
];

const lists: readonly CollectionFunction[] = [
  { ...listing, by: "texts", id: ["resource_list_string_string", ""] },
  { ...listing, by: "texts", id: ["resource_list_string_string", "_map"], last: labelsType },
  { ...listing, by: "gvr", id: ["list_resources_gvr", ""] },
  { ...listing, by: "gvr", id: ["list_resources_gvr", "_map"], last: labelsType },
];

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

/**
 * Resources of the cluster: `resource.Get`, `List`, `Post` and `ToGVR`. A namespaced policy can read only its
 * namespace, and its calls have no namespace argument.
 */
export function resourceLibrary(namespace?: string): Library {
  const ofNamespace = (each: CollectionFunction): Overload => collectionOverload(each, namespace);
  // A policy of the cluster also creates objects that have no namespace.
  const withoutNamespace = namespace === undefined ? [collectionOverload(posting, "")] : [];
  return {
    name: "kyverno.resource",
    constants: { resource: { type: contextType, value: new NamespaceValue(contextType) } },
    functions: bothSpellings({
      Get: gets.map(ofNamespace),
      List: lists.map(ofNamespace),
      Post: [ofNamespace(posting), ...withoutNamespace],
      ToGVR: toGvr,
    }),
  };
}
