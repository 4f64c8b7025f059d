import type { JsonObject } from "../../json/mod.ts";
import { collectionPath, labelsOf } from "../../kube/mod.ts";
import type { Collections, ObjectChange, ServedResource } from "../../ports.ts";
import type { ScannedResource } from "./scan_targets.ts";
import { ScannedKind } from "./scanned_kind.ts";

/** Milliseconds for which kinds of namespaced policies are followed after the last policy about them is gone. */
const lingering = 600_000;

/** The collections of {@link ScannedKinds}, and who hears of their objects. */
export interface ScannedKindsOptions {
  readonly collections: Collections;
  /** Called with each change of an object, and the uids of the scanned objects of its kind. */
  readonly changed: (change: ObjectChange, scanned: Set<string>) => void | Promise<void>;
  /** Called when the objects of a kind were listed. */
  readonly listed: () => void;
  /** Called when a scan has to begin again for some kinds. */
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

  /** Follows the wanted kinds. Those whose policies changed are closed and listed again, others are closed. */
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

  /** Whether a kind stays followed as it is. Otherwise it is closed, and listed again if policies still match it. */
  #isKept(
    kind: ScannedKind,
    { version, everything, isServed }: Pick<WantedKinds, "everything"> & {
      /** The version of the policies about the kind; `undefined` when there are none. */
      readonly version: string | undefined;
      readonly isServed: boolean;
    },
  ): boolean {
    if (version !== undefined) kind.match();
    else if (!everything && isServed && kind.linger(lingering)) {
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
    }, lingering);
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

/** An object with the names, uid and version that a scan keeps of it. */
function onlyIdentity({ metadata }: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion } = metadata as JsonObject;
  return {
    metadata: {
      name: name ?? "",
      ...(namespace !== undefined && { namespace }),
      uid: uid ?? "",
      resourceVersion: resourceVersion ?? "",
    },
  };
}

/** The same with its labels. */
export function identityWithLabels(object: JsonObject): JsonObject {
  const identity = onlyIdentity(object)["metadata"] as JsonObject;
  return { metadata: { ...identity, labels: labelsOf(object) } };
}
