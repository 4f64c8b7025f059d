import type { JsonObject } from "../json/mod.ts";
import { collectionPath, isBeingDeleted, namespaceOf } from "../kube/mod.ts";
import { answersRequests, denialOf, type PolicyObjectKind, policyObjectKinds } from "../policy/mod.ts";
import type { Collection, Collections, ObjectChange } from "../ports.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { ObjectDocuments } from "./object_document.ts";
import { PacedTask } from "./paced_task.ts";

/** The collections of {@link PolicyObjects}, and its listener. */
export interface PolicyObjectsOptions {
  readonly collections: Collections;
  /** The namespace whose exceptions have an effect; `*` for all. */
  readonly exceptionNamespace: string;
  /** Called once for several changes that follow one another. They are in force when its promise is fulfilled. */
  readonly changed: () => void | Promise<void>;
  /**
   * Called with the documents of deleted policies: soon after the deletions and before {@link changed}, but not before
   * policies are in force that were written earlier and may replace them.
   */
  readonly deleted: (documents: ReadonlySet<YamlDocument>) => void;
  /** Runs a task after some milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void;
  /** A clock in milliseconds; that of the process when absent. */
  readonly now?: () => number;
}

/**
 * Milliseconds for which changes are collected before policies are compiled again: `kubectl apply -f FOLDER` writes
 * objects one after another.
 */
const burst = 60;

/**
 * The wait before policies are compiled again, as a multiple of the time that the last load took, and the longest
 * one: a user may change a policy all the time whose load takes half a second, in which requests wait for their turns.
 */
const restAfterLoad = 10, longestRest = 2_000;

/** The wait before the next removal of deleted policies, as a multiple of the time that the last one took. */
const restAfterRemoval = 3;

/** An object with its kind. */
export interface PolicyObject {
  readonly kind: PolicyObjectKind;
  readonly object: JsonObject;
}

/** The policies, exceptions and global context entries that are objects of a cluster. */
export class PolicyObjects {
  readonly #collections: ReadonlyMap<PolicyObjectKind, Collection>;
  readonly #documents = new ObjectDocuments();
  readonly #exceptionNamespace: string;
  readonly #takeOut: PolicyObjectsOptions["deleted"];
  /** The policies that deny, by namespace; those of the last load, so that they keep their compiled form. */
  #denied: ReadonlyMap<string, JsonObject> = new Map();
  /** Puts the changes in force. */
  readonly #changing: PacedTask;
  /** Takes deleted policies out of force without a wait for further changes. */
  readonly #deleting: PacedTask;
  /** The documents of deleted policies that are still in force. */
  #deleted = new Set<YamlDocument>();
  /** The namespaces of new and changed policies that are not in force yet, "" for the cluster: before and in a load. */
  #added = new Set<string>();
  #loading: ReadonlySet<string> = new Set();

  /** Begins to watch all kinds. */
  constructor(
    { collections, exceptionNamespace, changed, deleted, after, now = () => performance.now() }:
      PolicyObjectsOptions,
  ) {
    this.#exceptionNamespace = exceptionNamespace;
    this.#takeOut = deleted;
    const pace = { after, now };
    this.#changing = new PacedTask({
      ...pace,
      rest: (took) => Math.min(Math.max(burst, took * restAfterLoad), longestRest),
      run: async () => {
        this.#takeOutDeleted();
        // The load leaves out the others, too.
        this.#deleted = new Set();
        this.#loading = this.#added;
        this.#added = new Set();
        await changed();
        this.#loading = new Set();
        if (this.#deleted.size > 0) this.#deleting.request();
      },
    });
    // The next request may follow in the same millisecond: scripts delete a policy, and then what it protects.
    this.#deleting = new PacedTask({
      ...pace,
      isUrgent: true,
      rest: (took) => Math.min(burst, took * restAfterRemoval),
      run: () => this.#takeOutDeleted(),
    });
    this.#collections = new Map(policyObjectKinds.map((kind) => [
      kind,
      collections.watch(collectionPath(kind, ""), (change) => this.#noticed(kind, change), {
        leftOutChanged: () => this.#changing.request(),
      }),
    ]));
  }

  #noticed({ role }: PolicyObjectKind, { object, former }: ObjectChange): void {
    if (object !== undefined && former !== undefined && hasEqualContents(object, former)) {
      this.#documents.keep(object, former);
      return;
    }
    this.#changing.request();
    // Other changes and deletions may deny more requests, so they come into force together, in one snapshot.
    if (!answersRequests(role)) return;
    if (object !== undefined && !isBeingDeleted(object)) this.#added.add(namespaceOf(object));
    else if (former !== undefined) {
      this.#deleted.add(this.#documents.of(former));
      this.#deleting.request();
    }
  }

  #takeOutDeleted(): void {
    const documents = [...this.#deleted].filter(({ value }) => !this.#mayBeReplaced(value as JsonObject));
    for (const each of documents) this.#deleted.delete(each);
    if (documents.length > 0) this.#takeOut(new Set(documents));
  }

  /**
   * Whether policies that are not in force yet may replace a deleted policy. It then stays in force until they are:
   * nothing is admitted between the two.
   */
  #mayBeReplaced(policy: JsonObject): boolean {
    const namespace = namespaceOf(policy), isOfCluster = namespace === "";
    return [this.#added, this.#loading].some((written) =>
      written.has("") || (isOfCluster ? written.size > 0 : written.has(namespace))
    );
  }

  /** Resolves when every kind was listed, or is not served. */
  async ready(): Promise<void> {
    await Promise.all([...this.#collections.values()].map(({ synced }) => synced));
  }

  /** All objects, kind by kind. */
  all(): PolicyObject[] {
    return [...this.#collections].flatMap(([kind, collection]) =>
      collection.objects().map((object) => ({ kind, object }))
    );
  }

  /**
   * All objects, each the same until more than its status changes: what is computed of an object is not computed again
   * for each status.
   */
  stored(): JsonObject[] {
    return this.all().map(({ object }) => this.#documents.of(object).value as JsonObject);
  }

  /** The objects of kinds with these roles. */
  of(...roles: readonly PolicyObjectKind["role"][]): PolicyObject[] {
    return [...this.#collections].flatMap(([kind, collection]) =>
      roles.includes(kind.role) ? collection.objects().map((object) => ({ kind, object })) : []
    );
  }

  /**
   * All objects as documents, each the same until its object changes. Denials come first: of policies with one name the
   * first counts, and users choose names.
   */
  documents(): YamlDocument[] {
    const found = this.all().filter((each) => !isBeingDeleted(each.object) && this.#counts(each))
      .map(({ object }) => this.#documents.of(object));
    return [...this.#denials(), ...found];
  }

  /**
   * The reason why no further object of a namespace, "" for the whole cluster, is kept; `undefined` when there is none.
   */
  lackOfMemory(namespace: string): string | undefined {
    for (const { leftOut } of this.#collections.values()) {
      if (leftOut?.namespaces?.has(namespace) ?? leftOut !== undefined) {
        return `${leftOut!.message}: delete some, or give Postern a larger memory limit`;
      }
    }
    return undefined;
  }

  /** Makes policies that deny everything in the namespaces of left-out policies. */
  #denials(): YamlDocument[] {
    const namespaces = new Set<string>();
    for (const [{ role }, { leftOut }] of this.#collections) {
      if (leftOut === undefined || !answersRequests(role)) continue;
      for (const namespace of leftOut.namespaces ?? [""]) namespaces.add(namespace);
    }
    this.#denied = new Map(
      [...namespaces].map((namespace) => [namespace, this.#denied.get(namespace) ?? denialOf(namespace)]),
    );
    return [...this.#denied.values()].map((denial) => this.#documents.of(denial));
  }

  #counts({ kind, object }: PolicyObject): boolean {
    const isException = kind.role === "exception" || kind.role === "cel-exception";
    return !isException || exceptionCounts(object, this.#exceptionNamespace);
  }

  /** Ends the watches. */
  async close(): Promise<void> {
    await Promise.all([...this.#collections.values()].map((collection) => collection.close()));
  }
}

/** Whether exceptions in an object's namespace have an effect. */
export function exceptionCounts(exception: JsonObject, exceptionNamespace: string): boolean {
  return exceptionNamespace === "*" || exceptionNamespace === namespaceOf(exception);
}

/** Whether only the status differs: Postern writes it, and it changes no policy. */
function hasEqualContents(object: JsonObject, former: JsonObject): boolean {
  return asText(object) === asText(former);
}

function asText({ status: _status, metadata, ...rest }: JsonObject): string {
  const { resourceVersion: _version, generation: _generation, ...meta } = metadata as JsonObject;
  return JSON.stringify([meta, rest]);
}
