import { compareBytes, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import { type ServedKind, storageKey } from "./kinds.ts";

/** The objects of one kind by `namespace/name`, and their keys in order while nothing was added or removed. */
interface Shelf {
  readonly objects: Map<string, JsonObject>;
  order: readonly string[] | undefined;
}

/** The objects of a cluster, each in the version it was written in, and the counter of changes. */
export class Store {
  readonly #shelves = new Map<string, Shelf>();
  #version = 0;

  /** The number of the last change: the resourceVersion of lists. */
  get version(): number {
    return this.#version;
  }

  /** Counts a change and answers with its number. */
  nextVersion(): string {
    return String(++this.#version);
  }

  /** One object; the namespace of cluster-wide kinds is empty. */
  get(kind: ServedKind, namespace: string, name: string): JsonObject | undefined {
    return this.#shelves.get(storageKey(kind))?.objects.get(`${namespace}/${name}`);
  }

  /** Puts an object where its kind, namespace and name say. */
  put(kind: ServedKind, object: JsonObject): void {
    const shelf = this.#shelf(storageKey(kind));
    const key = `${namespaceOf(object)}/${nameOf(object)}`;
    if (!shelf.objects.has(key)) shelf.order = undefined;
    shelf.objects.set(key, object);
  }

  /** Takes an object away. */
  remove(kind: ServedKind, namespace: string, name: string): void {
    const shelf = this.#shelf(storageKey(kind));
    if (shelf.objects.delete(`${namespace}/${name}`)) shelf.order = undefined;
  }

  /**
   * The entries of a kind, of one namespace or of all, in the order of the API server: bytes of `namespace/name`.
   * Keys are what `continue` tokens hold.
   */
  entries(kind: ServedKind, namespace?: string): [key: string, object: JsonObject][] {
    const shelf = this.#shelves.get(storageKey(kind));
    if (shelf === undefined) return [];
    shelf.order ??= [...shelf.objects.keys()].sort(compareBytes);
    const keys = namespace === undefined
      ? shelf.order
      : shelf.order.filter((key) => key.startsWith(`${namespace}/`));
    return keys.map((key) => [key, shelf.objects.get(key)!]);
  }

  /** Takes away everything under a storage key. */
  clear(key: string): void {
    this.#shelves.delete(key);
  }

  /** Takes away everything in a namespace. */
  clearNamespace(namespace: string): void {
    for (const shelf of this.#shelves.values()) {
      shelf.order = undefined;
      for (const key of [...shelf.objects.keys()]) {
        if (key.startsWith(`${namespace}/`)) shelf.objects.delete(key);
      }
    }
  }

  #shelf(key: string): Shelf {
    const shelf = this.#shelves.get(key) ?? { objects: new Map(), order: undefined };
    this.#shelves.set(key, shelf);
    return shelf;
  }
}
