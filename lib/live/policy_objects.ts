import type { Position } from "../diagnostics/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { Collection, Collections } from "../ports.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { collectionPath, type PolicyObjectKind, policyObjectKinds } from "./policy_kinds.ts";

/** What {@link PolicyObjects} watches with. */
export interface PolicyObjectsOptions {
  readonly collections: Collections;
  /** Called once after a burst of changes. */
  readonly changed: () => void;
  /** Runs a task after some milliseconds, unless the signal is raised before. */
  readonly after: (milliseconds: number, task: () => void) => void;
}

/** How long changes are gathered before policies are compiled anew: `kubectl apply -f FOLDER` writes one after another. */
const burst = 60;

/** An object with its kind. */
export interface PolicyObject {
  readonly kind: PolicyObjectKind;
  readonly object: JsonObject;
}

/** The policies, exceptions and global context entries that are objects of a cluster. */
export class PolicyObjects {
  readonly #collections: ReadonlyMap<PolicyObjectKind, Collection>;
  #pending = false;

  /** Begins to watch all kinds at once. */
  constructor({ collections, changed, after }: PolicyObjectsOptions) {
    const notice = (): void => {
      if (this.#pending) return;
      this.#pending = true;
      after(burst, () => {
        this.#pending = false;
        changed();
      });
    };
    this.#collections = new Map(policyObjectKinds.map((kind) => [
      kind,
      collections.watch(collectionPath(kind), ({ object, former }) => {
        if (isStatusOnly(object, former)) return;
        notice();
      }),
    ]));
  }

  /** Resolves when every kind was listed, or found not to be served. */
  async ready(): Promise<void> {
    await Promise.all([...this.#collections.values()].map(({ synced }) => synced));
  }

  /** All objects, kind by kind. */
  all(): PolicyObject[] {
    return [...this.#collections].flatMap(([kind, collection]) =>
      collection.objects().map((object) => ({ kind, object }))
    );
  }

  /** All objects as documents; positions name the object, as there is no file. */
  documents(): YamlDocument[] {
    return this.all().filter(({ object }) => !isGoing(object)).map(({ kind, object }) => ({
      value: object,
      positionOf: () => placeOf(kind, object),
    }));
  }

  /** Ends the watches. */
  async close(): Promise<void> {
    await Promise.all([...this.#collections.values()].map((collection) => collection.close()));
  }
}

/** Status writes are Postern's own: they change no policy. */
function isStatusOnly(object: JsonObject | undefined, former: JsonObject | undefined): boolean {
  if (object === undefined || former === undefined) return false;
  return asText(object) === asText(former);
}

function asText({ status: _status, metadata, ...rest }: JsonObject): string {
  const { resourceVersion: _version, generation: _generation, ...meta } = metadata as JsonObject;
  return JSON.stringify([meta, rest]);
}

/** An object that is being deleted waits for finalizers; its policy no longer holds. */
function isGoing(object: JsonObject): boolean {
  return (object["metadata"] as JsonObject)["deletionTimestamp"] !== undefined;
}

function placeOf({ kind, namespaced }: PolicyObjectKind, object: JsonObject): Position {
  const name = namespaced ? `${namespaceOf(object)}/${nameOf(object)}` : nameOf(object);
  return { file: `${kind}/${name}`, line: 1, column: 1 };
}
