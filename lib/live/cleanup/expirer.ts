import { type ListFault, listResource } from "../../background/mod.ts";
import { asString, isFault, type JsonObject } from "../../json/mod.ts";
import {
  annotationsOf,
  createdAt,
  deleteOptions,
  isBeingDeleted,
  labelsOf,
  nameOf,
  namespaceOf,
  objectPath,
} from "../../kube/mod.ts";
import type { Clock, Cluster, Discovery, Log, ServedResource } from "../../ports.ts";
import { hasRight } from "../access_review.ts";
import { endOfLife, ttlLabel } from "./ttl.ts";

/** The ports of an {@link Expirer}. */
export interface ExpirerOptions {
  readonly cluster: Cluster;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly log: Log;
  /** The user name whose rights decide which objects may be deleted. */
  readonly account: string;
  readonly leads: () => boolean;
  /** Milliseconds between two lists of labelled objects: a minute. */
  readonly every?: number;
  /** Called for each object that was deleted. */
  readonly deleted?: (resource: ServedResource) => void;
}

const propagations = ["Foreground", "Background", "Orphan"];

interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The most timers for single objects: users decide how many objects have the label. The next list finds the others. */
const maxTimers = 10_000;

/**
 * Deletes objects when the time to live in their label is over. It keeps nothing of an object but its name, and no
 * state between two lists.
 */
export class Expirer {
  readonly #options: ExpirerOptions;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #closed = false;

  /** Begins to list objects. */
  constructor(options: ExpirerOptions) {
    this.#options = options;
    this.#later(0, () => this.#repeat());
  }

  /** Stops. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Runs work after some milliseconds, and logs what it throws. */
  #later(milliseconds: number, work: () => Promise<void>): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void work().catch((cause) =>
        this.#options.log.write("warn", "objects with a time to live were not checked", {
          cause: String(cause),
        })
      );
    }, milliseconds);
    this.#timers.add(timer);
  }

  /** Lists all labelled objects, again and again. */
  async #repeat(): Promise<void> {
    try {
      await this.#expireAll();
    } finally {
      this.#later(this.#options.every ?? 60_000, () => this.#repeat());
    }
  }

  async #expireAll(): Promise<void> {
    const { discovery, leads } = this.#options;
    if (!leads()) return;
    const discovered = await discovery.resources();
    if (!discovered.ok) return;
    const usable = discovered.resources.filter(({ preferred, verbs }) =>
      preferred && ["list", "watch", "delete"].every((verb) => verbs.includes(verb))
    );
    for (const resource of usable) {
      if (this.#closed) return;
      await this.#expireOfKind(resource);
    }
  }

  async #expireOfKind(resource: ServedResource): Promise<void> {
    let mayDelete: boolean | undefined;
    for await (const object of this.#labelled(resource)) {
      // Most kinds have no object with a time to live, so no right to them is needed.
      if (isFault(object)) return this.#notListed(object, resource);
      mayDelete ??= await this.#mayDelete(resource);
      if (!mayDelete || this.#closed) return;
      await this.#expire(object, resource);
    }
  }

  /** Logs why objects could not be listed, unless Postern lacks the right. */
  #notListed({ isFinal, message }: ListFault, { group, plural }: ServedResource): void {
    if (isFinal) return;
    this.#options.log.write("warn", "objects with a time to live were not listed", {
      group,
      resource: plural,
      reason: message,
    });
  }

  /** Lists the objects with the label, or the one of a name among them. */
  #labelled(resource: ServedResource, only?: ObjectName): ReturnType<typeof listResource> {
    return listResource(resource, {
      cluster: this.#options.cluster,
      labelSelector: ttlLabel,
      onlyMetadata: true,
      ...(only !== undefined && { namespace: only.namespace, fieldSelector: `metadata.name=${only.name}` }),
    });
  }

  async #mayDelete({ group, plural }: ServedResource): Promise<boolean> {
    const { cluster, account } = this.#options;
    for (const verb of ["list", "watch", "delete"]) {
      if (await hasRight(cluster, account, { verb, group, resource: plural }) === false) return false;
    }
    return true;
  }

  /** Deletes an object whose time to live is over, or waits for the end if that comes before the next list. */
  async #expire(object: JsonObject, resource: ServedResource): Promise<void> {
    const { clock, every = 60_000 } = this.#options;
    const end = endOfLife(asString(labelsOf(object)[ttlLabel]) ?? "", createdAt(object));
    if (end === undefined || Number.isNaN(end)) return;
    const left = end - clock.now();
    if (left <= 0) return await this.#delete(object, resource);
    if (left > every || this.#timers.size > maxTimers) return;
    const only = { namespace: namespaceOf(object), name: nameOf(object) };
    this.#later(left, () => this.#expireNamed(only, resource));
  }

  /** Reads an object again before it is deleted: somebody may have changed or removed its time to live. */
  async #expireNamed(only: ObjectName, resource: ServedResource): Promise<void> {
    for await (const object of this.#labelled(resource, only)) {
      if (isFault(object)) return this.#notListed(object, resource);
      if (this.#closed) return;
      await this.#expire(object, resource);
    }
  }

  async #delete(object: JsonObject, resource: ServedResource): Promise<void> {
    const { cluster, log, leads, deleted } = this.#options;
    const path = objectPath(resource, { namespace: namespaceOf(object), name: nameOf(object) });
    if (!leads() || isBeingDeleted(object)) return;
    const wanted = annotationsOf(object)["cleanup.kyverno.io/propagation-policy"];
    const propagationPolicy = propagations.find((each) => each === wanted);
    const body = deleteOptions(object, propagationPolicy);
    const answer = await cluster.call({ method: "DELETE", path, body });
    if (answer.ok) {
      deleted?.(resource);
      log.write("info", "time to live is over", { path });
    } else if (answer.status !== 404 && answer.status !== 409) {
      log.write("warn", "time to live is over, but the object stays", { path, reason: answer.message });
    }
  }
}
