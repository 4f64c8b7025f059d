import type { JsonObject } from "../json/mod.ts";
import { namespaceOf } from "../kube/mod.ts";
import type { UidReference } from "./find_by_uid.ts";

/** A generated object with the fields that deleting it needs. */
export interface MadeObject {
  readonly object: JsonObject;
  readonly trigger: UidReference;
  readonly source: UidReference | undefined;
}

/** The most objects of a rule: some 13 MB. */
const defaultMost = 20_000;

/**
 * The objects with the labels of a rule, which anyone can forge. Of too many, those of the namespace that has most are
 * left out, the last ones first: a comparison then leaves them as they are.
 */
export class MadeObjects {
  readonly #most: number;
  readonly #byNamespace = new Map<string, MadeObject[]>();
  /** The namespaces of objects that are left out. */
  readonly leftOut = new Set<string>();
  #count = 0;

  constructor(most = defaultMost) {
    this.#most = most;
  }

  add(made: MadeObject): void {
    const namespace = namespaceOf(made.object);
    const others = this.#byNamespace.get(namespace);
    if (this.#count >= this.#most && !this.#makeRoom(others?.length ?? 0)) {
      this.leftOut.add(namespace);
      return;
    }
    this.#count++;
    if (others === undefined) this.#byNamespace.set(namespace, [made]);
    else others.push(made);
  }

  /** Drops half of the objects of the namespace with the most, if those are more than `count`. */
  #makeRoom(count: number): boolean {
    let largest: readonly [namespace: string, made: MadeObject[]] | undefined;
    for (const each of this.#byNamespace) {
      if (each[1].length > (largest?.[1].length ?? count + 1)) largest = each;
    }
    if (largest === undefined) return false;
    const [namespace, made] = largest;
    this.#count -= made.splice(made.length >> 1).length;
    this.leftOut.add(namespace);
    return true;
  }

  /** The objects by the uid of their trigger. */
  byTrigger(): Map<string, MadeObject[]> {
    return Map.groupBy([...this.#byNamespace.values()].flat(), ({ trigger }) => trigger.uid);
  }
}
