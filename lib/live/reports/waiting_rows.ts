import { detached, heapSize, type JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf, uidOf } from "../../kube/mod.ts";

/** The rows about an object that are not written yet. */
export interface Waiting {
  /** The object's identity alone: an object may have 3 MB, and rows wait for minutes while the API server fails. */
  readonly object: JsonObject;
  readonly rows: readonly JsonObject[];
  /** When the object was admitted, in milliseconds since 1970. */
  readonly since: number;
  /** When its rows are written, and until when that is repeated: times of `elapsedOn`. */
  readonly due: number;
  readonly until: number;
}

/** The most objects whose rows wait: more than a burst of creations. */
const mostObjects = 10_000;

/** The most bytes of heap of all rows that wait. */
const mostBytes = 8 * 1024 * 1024;

/** Rows that wait to be written, by object, in the order in which they are due. Their memory has a bound. */
export class WaitingRows {
  readonly #waiting = new Map<string, Waiting & { readonly bytes: number }>();
  #bytes = 0;

  get(key: string): Waiting | undefined {
    return this.#waiting.get(key);
  }

  /** The keys with their rows, the first that are due first. */
  entries(): Iterable<[key: string, waiting: Waiting]> {
    return this.#waiting.entries();
  }

  /** Puts rows behind all others, or in the place of former ones; false when there is no room for them. */
  put(key: string, { object, rows, ...times }: Waiting): boolean {
    const former = this.#waiting.get(key);
    if (former === undefined && this.#waiting.size >= mostObjects) return false;
    const kept = { object: detached(identity(object)), rows: detached(rows as JsonObject[]) };
    const bytes = heapSize(kept.rows) + heapSize(kept.object);
    const more = bytes - (former?.bytes ?? 0);
    if (this.#bytes + more > mostBytes) return false;
    this.#bytes += more;
    this.#waiting.set(key, { ...kept, ...times, bytes });
    return true;
  }

  delete(key: string): void {
    this.#bytes -= this.#waiting.get(key)?.bytes ?? 0;
    this.#waiting.delete(key);
  }

  clear(): void {
    this.#waiting.clear();
    this.#bytes = 0;
  }
}

function identity(object: JsonObject): JsonObject {
  const namespace = namespaceOf(object), uid = uidOf(object);
  return {
    apiVersion: object["apiVersion"] ?? "",
    kind: object["kind"] ?? "",
    metadata: {
      name: nameOf(object),
      ...(namespace !== "" && { namespace }),
      ...(uid !== "" && { uid }),
    },
  };
}
