import { BoundedCache } from "../json/mod.ts";
import { hasWildcard, parseKindSelectors } from "../kube/mod.ts";

/** The requests that an entry of the index matches. An empty list is no restriction. */
export interface Interest {
  /** Kind selectors as policies write them: `Pod`, `apps/v1/Deployment`, `Pod/exec`, `*`. */
  readonly kinds: readonly string[];
  /** CREATE, UPDATE, DELETE, CONNECT. */
  readonly operations: readonly string[];
  /** Only requests of this namespace; `undefined` for all. */
  readonly namespace: string | undefined;
}

interface Entry<T> {
  readonly value: T;
  readonly order: number;
  readonly operations: readonly string[];
  readonly namespace: string | undefined;
}

/** The most values of all cached look-ups together, and what a look-up counts besides. */
const mostCachedValues = 100_000, valuesOfLookup = 10;

/** The longest key of a cached look-up: kinds come from requests. */
const maxKeyLength = 256;

const nothing: readonly never[] = [];

/**
 * Finds the values that may match a request without testing each: by kind, then by operation and namespace. A found
 * value may still not match; a value that is not found cannot match. Look-ups are cached, so values that cannot match
 * cost once per kind, operation and namespace. All namespaces that no value names share their look-ups: a cluster may
 * have thousands.
 */
export class MatchIndex<T> {
  readonly #byKind = new Map<string, Entry<T>[]>();
  readonly #anyKind: Entry<T>[] = [];
  /** The namespaces that values name. */
  readonly #namespaces = new Set<string>();
  readonly #found = new BoundedCache<readonly T[]>(
    mostCachedValues,
    (values) => valuesOfLookup + values.length,
  );
  #size = 0;

  /** Adds a value. Values are found in the order in which they were added. */
  add(value: T, interests: readonly Interest[]): void {
    const order = this.#size++;
    for (const { kinds, operations, namespace } of interests) {
      const entry = { value, order, operations, namespace };
      if (namespace !== undefined) this.#namespaces.add(namespace);
      if (kinds.length === 0) this.#anyKind.push(entry);
      for (const selector of kinds) {
        for (const kind of literalKinds(selector)) {
          const others = kind === undefined ? this.#anyKind : this.#byKind.get(kind);
          if (others === undefined) this.#byKind.set(kind!, [entry]);
          else others.push(entry);
        }
      }
    }
  }

  /** The values that may match such a request, each once. */
  find(kind: string, operation: string, namespace: string): readonly T[] {
    if (this.#size === 0) return nothing;
    const key = `${kind}\n${operation}\n${this.#namespaces.has(namespace) ? namespace : ""}`;
    const cached = this.#found.get(key);
    if (cached !== undefined) return cached;
    const entries = [...this.#byKind.get(kind) ?? [], ...this.#anyKind]
      .filter((entry) => entry.operations.length === 0 || entry.operations.includes(operation))
      .filter((entry) => entry.namespace === undefined || entry.namespace === namespace)
      .sort((left, right) => left.order - right.order);
    const values = [...new Set(entries.map((entry) => entry.value))];
    if (key.length > maxKeyLength) return values;
    this.#found.set(key, values);
    return values;
  }
}

/** The kinds that a selector can match, `undefined` for any. The match itself is still tested. */
function literalKinds(selector: string): (string | undefined)[] {
  return parseKindSelectors(selector).map(({ kind }) => hasWildcard(kind) ? undefined : kind);
}
