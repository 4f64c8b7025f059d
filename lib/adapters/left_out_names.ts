/** The most names, and the most namespaces of further names. */
const most = 10_000;

/** The namespaces and names of objects that are left out. However many there are, it takes little memory. */
export class LeftOutNames {
  /** The bytes of each object. */
  readonly #names = new Map<string, number>();
  /** The namespaces of objects whose names are not kept. They stay until all objects are listed again. */
  readonly #furtherNamespaces = new Set<string>();

  get isEmpty(): boolean {
    return this.#names.size + this.#furtherNamespaces.size === 0;
  }

  /** The namespaces of all objects, "" for objects of the cluster; `undefined` when there are too many. */
  get namespaces(): ReadonlySet<string> | undefined {
    if (this.#furtherNamespaces.size >= most) return undefined;
    return new Set([...this.#names.keys()].map(namespaceOfKey)).union(this.#furtherNamespaces);
  }

  /** Adds an object of so many bytes by its key, `NAMESPACE/NAME`. */
  add(key: string, bytes: number): void {
    if (this.#names.size < most) this.#names.set(key, bytes);
    else if (this.#furtherNamespaces.size < most) this.#furtherNamespaces.add(namespaceOfKey(key));
  }

  /** Adds all objects of others. */
  addAll(others: LeftOutNames): void {
    for (const [key, bytes] of others.#names) this.add(key, bytes);
    for (const namespace of others.#furtherNamespaces) {
      if (this.#furtherNamespaces.size < most) this.#furtherNamespaces.add(namespace);
    }
  }

  /** Whether a condition may hold for one of the objects. It may for those whose names are not kept. */
  mayHold(condition: (key: string, bytes: number) => boolean): boolean {
    for (const [key, bytes] of this.#names) if (condition(key, bytes)) return true;
    return this.#names.size === 0 && this.#furtherNamespaces.size > 0;
  }

  /** Drops an object; returns whether it was there. */
  delete(key: string): boolean {
    return this.#names.delete(key);
  }
}

/** The namespace of an object with this key, "" for one of the whole cluster. */
export function namespaceOfKey(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
