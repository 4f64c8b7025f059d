import { asString, field, isObject, type Json, type JsonObject, textField } from "../json/mod.ts";
import { formatApiVersion, namespaceOf, parseApiPath } from "../kube/mod.ts";

/** The kind and apiVersion of the objects of a collection. */
export interface CollectionType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The kind of objects of which a client requested the metadata alone. */
const metadataKind = "PartialObjectMetadata";

/**
 * The API version and the namespace of the objects that a path lists. A proxy that confuses its connections sends other
 * objects: they must not count as policies or namespaces.
 */
export class CollectionScope {
  readonly #apiVersion: string | undefined;
  readonly #namespace: string | undefined;

  /** Reads the path that lists the objects: `/api/v1/namespaces/a/configmaps`. */
  constructor(path: string) {
    const parsed = parseApiPath(path)?.path;
    if (parsed?.at !== "resource") return;
    const { group, version, namespace } = parsed.resource;
    this.#apiVersion = formatApiVersion({ group, version });
    this.#namespace = namespace;
  }

  /** Returns the type of a list's objects; `undefined` when the list, or an object in it, is not about the path. */
  typeOf(list: Json, items: readonly Json[]): CollectionType | undefined {
    const apiVersion = textField(list, "apiVersion");
    if (this.#apiVersion !== undefined && apiVersion !== this.#apiVersion) return undefined;
    // The definition of a kind may name its lists as it likes; objects of such kinds have their kind in lists.
    const written = items.map((item) => asString(field(item, "kind"))).find((kind) => kind !== undefined);
    const type = { kind: written ?? asString(field(list, "kind"))?.replace(/List$/, "") ?? "", apiVersion };
    return items.every((item) => !isObject(item) || this.includes(item, type)) ? type : undefined;
  }

  /**
   * Whether an object has the type and is in the path's namespace. In lists, objects may have no kind and apiVersion.
   */
  includes(object: JsonObject, type: CollectionType): boolean {
    const { kind = type.kind, apiVersion = type.apiVersion } = object;
    const hasType = kind === metadataKind || kind === type.kind && apiVersion === type.apiVersion;
    return hasType && (this.#namespace === undefined || namespaceOf(object) === this.#namespace);
  }
}
