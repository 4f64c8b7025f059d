import { compareBytes, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import { type ServedKind, storageKey } from "./kinds.ts";

/** The objects of one kind by `namespace/name`, with a cache of their sorted keys. */
interface Shelf {
  readonly objects: Map<string, JsonObject>;
  order: readonly string[] | undefined;
}

/** Stores the objects of a cluster, each in the version in which it was written, and counts changes. */
export class Store {
  readonly #shelves = new Map<string, Shelf>();
  #version = 0;

  /** The number of the last change, which is the resourceVersion of lists. */
  get version(): number {
    return this.#version;
  }

  /** Counts a change and returns its number. */
  nextVersion(): string {
    return String(++this.#version);
  }

  /** Returns one object; the namespace of cluster-wide kinds is empty. */
  get(kind: ServedKind, namespace: string, name: string): JsonObject | undefined {
    return this.#shelves.get(storageKey(kind))?.objects.get(`${namespace}/${name}`);
  }

  /** Stores an object under its kind, namespace and name. */
  put(kind: ServedKind, object: JsonObject): void {
    const shelf = this.#shelf(storageKey(kind));
    const key = `${namespaceOf(object)}/${nameOf(object)}`;
    if (!shelf.objects.has(key)) shelf.order = undefined;
    shelf.objects.set(key, object);
  }

  /** Removes an object. */
  remove(kind: ServedKind, namespace: string, name: string): void {
    const shelf = this.#shelf(storageKey(kind));
    if (shelf.objects.delete(`${namespace}/${name}`)) shelf.order = undefined;
  }

  /**
   * The entries of a kind, in one namespace or in all, in the order of the API server: bytes of `namespace/name`.
   * `continue` tokens hold these keys.
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

  /** Removes all objects under a storage key. */
  clear(key: string): void {
    this.#shelves.delete(key);
  }

  /** Removes all objects in a namespace. */
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
