import { collectionPath } from "../../kube/mod.ts";
import type { Collections, ObjectChange, ServedResource } from "../../ports.ts";
import { onlyIdentity } from "./kept_identity.ts";
import type { ScannedResource } from "./scan_targets.ts";
import { ScannedKind } from "./scanned_kind.ts";

/** Milliseconds for which kinds of namespaced policies are followed after the last policy about them is gone. */
const lingeringMs = 600_000;

/** The watches that {@link ScannedKinds} open, and the functions that they call. */
export interface ScannedKindsOptions {
  readonly collections: Collections;
  /** Called when an object changes, with the uids of all objects of its kind that were scanned. */
  readonly changed: (change: ObjectChange, scanned: Set<string>) => void | Promise<void>;
  /** Called when all objects of a kind were listed. */
  readonly listed: () => void;
  /** Called when a kind can be closed or listed again that had to wait: the scanner then calls `follow` again. */
  readonly due: () => void;
  readonly signal: AbortSignal;
}

/** The kinds that are wanted now. */
export interface WantedKinds {
  readonly wanted: readonly ScannedResource[];
  /** All resources that the API server serves. */
  readonly served: readonly ServedResource[];
  /** Whether all kinds are listed again, or those whose policies changed. */
  readonly everything: boolean;
}

/**
 * The kinds whose objects a scanner follows: those that policies match, and for a while those that policies of
 * namespaces matched.
 */
export class ScannedKinds {
  readonly #options: ScannedKindsOptions;
  /** By the path of their collection. */
  readonly #kinds = new Map<string, ScannedKind>();
  #lingerTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ScannedKindsOptions) {
    this.#options = options;
  }

  /** The kinds that policies match. */
  get matched(): readonly ScannedKind[] {
    return [...this.#kinds.values()].filter(({ isMatched }) => isMatched);
  }

  /** Whether the kinds that policies match are exactly those of these resources. */
  areExactly(wanted: readonly ScannedResource[]): boolean {
    return wanted.length === this.matched.length &&
      wanted.every(({ resource }) => this.#kinds.has(pathOf(resource)));
  }

  /** Resolves when the objects of all kinds are listed. */
  async listed(): Promise<void> {
    await Promise.all([...this.#kinds.values()].map(({ listed }) => listed));
  }

  /**
   * Follows the wanted kinds, and lists those again whose policies changed. Other kinds are closed, those of policies
   * of namespaces ten minutes later.
   */
  async follow({ wanted, served, everything }: WantedKinds): Promise<void> {
    const servedPaths = new Set(served.map(pathOf));
    const byPath = new Map(wanted.map((each) => [pathOf(each.resource), each]));
    for (const [path, kind] of this.#kinds) {
      const version = byPath.get(path)?.version;
      if (this.#isKept(kind, { version, everything, isServed: servedPaths.has(path) })) continue;
      this.#kinds.delete(path);
      await kind.options.collection.close();
    }
    for (const [path, each] of byPath) if (!this.#kinds.has(path)) this.#begin(path, each);
  }

  /** Ends all watches. */
  async close(): Promise<void> {
    clearTimeout(this.#lingerTimer);
    await Promise.all([...this.#kinds.values()].map(({ options: { collection } }) => collection.close()));
  }

  #begin(path: string, { resource, version }: ScannedResource): void {
    const { collections, changed, listed, signal } = this.#options;
    const scanned = new Set<string>();
    const collection = collections.watch(path, (change) => changed(change, scanned), { keep: onlyIdentity });
    const kind = new ScannedKind({ resource, version, collection, scanned, signal });
    this.#kinds.set(path, kind);
    void kind.listed.then(listed);
  }

  /** Whether the watch of a kind goes on. Otherwise it ends, and a new one begins if policies still match the kind. */
  #isKept(
    kind: ScannedKind,
    { version, everything, isServed }: Pick<WantedKinds, "everything"> & {
      /** The version of the policies that match the kind; `undefined` when none does. */
      readonly version: string | undefined;
      readonly isServed: boolean;
    },
  ): boolean {
    if (version !== undefined) kind.match();
    else if (!everything && isServed && kind.linger(lingeringMs)) {
      this.#closeAfterLingering();
      return true;
    }
    if (!everything && !kind.isOutdated && version === kind.options.version) return true;
    if (version === undefined || !kind.isBusy) return false;
    this.#listLater(kind);
    return true;
  }

  #closeAfterLingering(): void {
    this.#lingerTimer ??= setTimeout(() => {
      this.#lingerTimer = undefined;
      this.#options.due();
    }, lingeringMs);
  }

  #listLater(kind: ScannedKind): void {
    if (kind.isOutdated) return;
    kind.isOutdated = true;
    void kind.rested.then(this.#options.due);
  }
}

function pathOf(resource: ServedResource): string {
  return collectionPath(resource, "");
}
