import {
  asList,
  asObject,
  field,
  isObject,
  type Json,
  type JsonObject,
  setField,
  textField,
} from "../json/mod.ts";
import {
  failureOf,
  formatApiVersion,
  metadataOnly,
  nameOf,
  noAnswer,
  parseApiPath,
  type ResourcePath,
  typeOf,
} from "../kube/mod.ts";
import type { Answer, ApiCall, ApiResource, Clock, Cluster, Entropy } from "../ports.ts";
import { uuidFrom } from "../entropy.ts";
import type { Patch, WriteRequest, Writing } from "./commit.ts";
import { completed } from "./defaults.ts";
import { deleteCollection, deleteObject } from "./delete.ts";
import { coreVersions, groupList, groupReply, resourceList, servesVersion } from "./discovery.ts";
import { Kinds } from "./kinds.ts";
import { isDefinition } from "./object_rules.ts";
import type { RbacObjects } from "./rbac.ts";
import { getObject, listObjects } from "./read.ts";
import {
  badRequest,
  methodNotAllowed,
  noSuchPath,
  noSuchResource,
  notAcceptableList,
  type Reply,
  replyWith,
} from "./reply.ts";
import { answerReview, type ApiUser } from "./reviews.ts";
import { Store } from "./store.ts";
import { createObject, patchObject, timestamp, updateObject } from "./write.ts";

/** The ports and the first objects of an embedded cluster. */
export interface EmbeddedClusterOptions {
  /** The objects, as in manifests. Lists count as their items. Of two objects with one name the later stays. */
  readonly objects?: readonly Json[];
  /**
   * Whether the first objects get the fields that the API server sets: uid, creation time, version, defaults.
   * `verbatim` objects show only the changes of policies, as in the command line's output.
   */
  readonly intake?: "complete" | "verbatim";
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The user of calls to the cluster; by default one with all rights. */
  readonly self?: ApiUser;
  /** The body of the answer to `/version`. */
  readonly version?: JsonObject;
  /** Patch types besides merge patch and apply, by content type: `application/json-patch+json`. */
  readonly patches?: Readonly<Record<string, Patch>>;
}

const defaultVersion = {
  major: "1",
  minor: "34",
  gitVersion: "v1.34.0",
  gitTreeState: "clean",
  platform: "linux/amd64",
};

/**
 * A Kubernetes API over objects in memory, so that everything runs and is tested without a cluster.
 *
 * It serves the kinds of Kubernetes, those of its CustomResourceDefinitions and those of its objects: get, list
 * (label and field selectors, limit, continue), create, update, patch, delete, dry runs, `status`, access reviews
 * from its RBAC objects, discovery, `/version`, `/healthz`. It does not validate objects or set their defaults, run
 * admission or controllers, convert between versions, watch, or serve subresources such as `log` and `scale`.
 */
export class EmbeddedCluster implements Cluster {
  readonly #writing: Writing;
  readonly #self: ApiUser;
  readonly #version: JsonObject;

  constructor(options: EmbeddedClusterOptions) {
    const { objects = [], clock, entropy, patches = {} } = options;
    this.#writing = { store: new Store(), kinds: new Kinds(), clock, entropy, patches };
    this.#self = options.self ?? { username: "postern", groups: ["system:masters", "system:authenticated"] };
    this.#version = options.version ?? defaultVersion;
    const flat = objects.flatMap((object) => flattened(object));
    // Definitions come first, because they determine the kinds of other objects.
    for (const object of flat) if (isDefinition(typeOf(object))) this.#writing.kinds.define(object);
    const intake = options.intake ?? "complete";
    for (const object of flat) this.#hold(object, intake);
  }

  call(call: ApiCall): Promise<Answer> {
    if (call.signal?.aborted === true) {
      return Promise.resolve(noAnswer(call, "the request's deadline passed"));
    }
    return Promise.resolve(this.#answer(call));
  }

  inMemory(path: string): Answer {
    return this.#answer({ method: "GET", path });
  }

  #answer(call: ApiCall): Answer {
    const { status, body } = this.#reply(call);
    return status < 300 ? { ok: true, status, body } : failureOf(call, status, body);
  }

  resource(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    const served = this.#writing.kinds.ofType(apiVersion, kind);
    if (served === undefined) return Promise.resolve(undefined);
    const { group, version, plural, namespaced } = served;
    return Promise.resolve({ group, version, kind, plural, namespaced });
  }

  /** Every object of the cluster, kind by kind. */
  objects(): JsonObject[] {
    const { store, kinds } = this.#writing;
    const byStorage = new Map(kinds.all().map((kind) => [`${kind.group}/${kind.plural}`, kind]));
    return [...byStorage.values()].flatMap((kind) => store.entries(kind).map(([, object]) => object));
  }

  /** Adds an object as it is, or with the fields that the API server sets. */
  #hold(object: JsonObject, intake: "complete" | "verbatim"): void {
    const { store, kinds, clock, entropy } = this.#writing;
    const kind = kinds.learn(object);
    if (intake === "verbatim") return store.put(kind, object);
    const given = asObject(object["metadata"]) ?? {};
    const metadata: { [name: string]: Json } = {};
    if (kind.namespaced) metadata["namespace"] = "default";
    metadata["uid"] = uuidFrom(entropy);
    metadata["creationTimestamp"] = timestamp(clock);
    for (const [name, value] of Object.entries(given)) {
      const isLeftOut = value === null || value === "" || !kind.namespaced && name === "namespace";
      if (!isLeftOut) setField(metadata, name, value);
    }
    metadata["resourceVersion"] = store.nextVersion();
    store.put(kind, completed({ ...object, metadata }));
  }

  #reply(call: ApiCall): Reply {
    const parsed = parseApiPath(call.path);
    if (parsed === undefined) return noSuchPath();
    const { path, query } = parsed;
    if (path.at === "resource") return this.#atResource(call, path.resource, query);
    if (call.method !== "GET") return path.at === "other" ? noSuchPath() : methodNotAllowed();
    switch (path.at) {
      case "versions":
        return coreVersions();
      case "groups":
        return groupList(this.#writing.kinds);
      case "group":
        return groupReply(this.#writing.kinds, path.group);
      case "kinds":
        return resourceList(this.#writing.kinds, path);
      case "other":
        if (path.path === "/version") return replyWith(this.#version);
        return ["/healthz", "/livez", "/readyz"].includes(path.path) ? replyWith("ok") : noSuchPath();
    }
  }

  #atResource(call: ApiCall, path: ResourcePath, query: URLSearchParams): Reply {
    const { kinds } = this.#writing;
    if (!servesVersion(kinds, path)) return noSuchPath();
    const body = call.body ?? null;
    const review = answerReview({ self: this.#self, clock: this.#writing.clock, rbac: () => this.#rbac() }, {
      ...path,
      method: call.method,
      body,
    });
    if (review !== undefined) return review;
    const kind = kinds.atPath(path.group, path.version, path.plural);
    if (kind === undefined) return noSuchResource();
    // A namespaced object needs a path with a namespace, a cluster-wide one a path without.
    if (kind.namespaced !== (path.namespace !== undefined)) {
      if (!kind.namespaced || path.name !== undefined) return noSuchResource();
      return call.method === "GET" ? this.#atCollection(call, { kind, path, query }) : methodNotAllowed();
    }
    const isStatus = path.subresource === "status" && kind.subresources.includes("status");
    if (path.subresource !== undefined && !isStatus) return noSuchResource();
    if (path.name === undefined) return this.#atCollection(call, { kind, path, query });
    const namespacedName = { namespace: path.namespace ?? "", name: path.name };
    const request: WriteRequest = {
      kind,
      ...namespacedName,
      subresource: path.subresource ?? "",
      query,
      body,
      contentType: call.contentType ?? "application/json",
    };
    switch (call.method) {
      case "GET":
        return getObject(this.#writing.store, kind, namespacedName);
      case "PUT":
        return updateObject(this.#writing, request);
      case "PATCH":
        return patchObject(this.#writing, request);
      case "DELETE":
        return isStatus ? methodNotAllowed() : deleteObject(this.#writing, request);
      case "POST":
        return methodNotAllowed();
    }
  }

  #atCollection(
    call: ApiCall,
    { kind, path, query }: {
      readonly kind: WriteRequest["kind"];
      readonly path: ResourcePath;
      readonly query: URLSearchParams;
    },
  ): Reply {
    const namespace = path.namespace;
    if (["1", "true"].includes(query.get("watch") ?? "")) return badRequest("this cluster cannot be watched");
    if (call.method === "GET") {
      if (call.accept?.startsWith(metadataOnly) === true) return notAcceptableList();
      return listObjects(this.#writing.store, kind, { namespace, query });
    }
    const request: WriteRequest = {
      kind,
      namespace: namespace ?? "",
      name: "",
      subresource: "",
      query,
      body: call.body ?? null,
      contentType: call.contentType ?? "application/json",
    };
    if (call.method === "POST") return createObject(this.#writing, request);
    return call.method === "DELETE" ? deleteCollection(this.#writing, request) : methodNotAllowed();
  }

  #rbac(): RbacObjects {
    const { store, kinds } = this.#writing;
    const all = (kind: string) => {
      const served = kinds.ofType("rbac.authorization.k8s.io/v1", kind);
      return served === undefined ? [] : store.entries(served).map(([, object]) => object);
    };
    return {
      roles: all("Role"),
      roleBindings: all("RoleBinding"),
      clusterRoles: all("ClusterRole"),
      clusterRoleBindings: all("ClusterRoleBinding"),
    };
  }
}

/** The objects of a document: itself, or the items of a list, without those that have no kind or name. */
function flattened(document: Json): JsonObject[] {
  if (!isObject(document)) return [];
  const kind = textField(document, "kind");
  const items = field(document, "items");
  if (!kind.endsWith("List") || items === undefined) {
    return kind === "" || nameOf(document) === "" ? [] : [document];
  }
  const { group, version } = typeOf(document);
  return asList(items).filter(isObject).flatMap((item) => {
    const itemKind = kind.slice(0, -"List".length);
    const typed = itemKind === "" || field(item, "kind") !== undefined
      ? item
      : { apiVersion: formatApiVersion({ group, version }), kind: itemKind, ...item };
    return flattened(typed);
  });
}
