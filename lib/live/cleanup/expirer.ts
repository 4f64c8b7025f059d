import { listResource } from "../../background/mod.ts";
import { asString, dig, isFault, type JsonObject } from "../../json/mod.ts";
import { annotationsOf, labelsOf, nameOf, namespaceOf, objectPath } from "../../kube/mod.ts";
import type { Clock, Cluster, Discovery, Log, ServedResource } from "../../ports.ts";
import { hasRight } from "../access.ts";
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

/** Deletes objects when the time to live in their label is over. It keeps no state between two lists. */
export class Expirer {
  readonly #options: ExpirerOptions;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #closed = false;

  /** Begins to list objects. */
  constructor(options: ExpirerOptions) {
    this.#options = options;
    this.#after(0);
  }

  /** Stops. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #after(milliseconds: number): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#look().finally(() => this.#after(this.#options.every ?? 60_000));
    }, milliseconds);
    this.#timers.add(timer);
  }

  async #look(): Promise<void> {
    const { discovery, leads, log } = this.#options;
    if (!leads()) return;
    const discovered = await discovery.resources();
    if (!discovered.ok) return;
    const usable = discovered.resources.filter(({ preferred, verbs }) =>
      preferred && ["list", "watch", "delete"].every((verb) => verbs.includes(verb))
    );
    for (const resource of usable) {
      if (this.#closed) return;
      await this.#lookAt(resource).catch((cause) =>
        log.write("warn", "objects with a time to live were not checked", { cause: String(cause) })
      );
    }
  }

  async #lookAt(resource: ServedResource): Promise<void> {
    const { cluster } = this.#options;
    let mayDelete: boolean | undefined;
    for await (const object of listResource(resource, { cluster, labelSelector: ttlLabel })) {
      // Most kinds have no object with a time to live, so no right to them is needed.
      if (isFault(object)) return;
      mayDelete ??= await this.#mayDelete(resource);
      if (!mayDelete) return;
      this.#expire(object, resource);
    }
  }

  async #mayDelete({ group, plural }: ServedResource): Promise<boolean> {
    const { cluster, account } = this.#options;
    for (const verb of ["list", "watch", "delete"]) {
      if (await hasRight(cluster, account, { verb, group, resource: plural }) === false) return false;
    }
    return true;
  }

  #expire(object: JsonObject, resource: ServedResource): void {
    const { clock, every = 60_000 } = this.#options;
    const created = Date.parse(asString(dig(object, "metadata", "creationTimestamp")) ?? "");
    const end = endOfLife(asString(labelsOf(object)[ttlLabel]) ?? "", created);
    if (end === undefined || Number.isNaN(end)) return;
    const left = end - clock.now();
    // Objects that live longer are found by the next list.
    if (left > every) return;
    if (left <= 0) return void this.#delete(object, resource);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#delete(object, resource);
    }, left);
    this.#timers.add(timer);
  }

  async #delete(object: JsonObject, resource: ServedResource): Promise<void> {
    const { cluster, log, leads, deleted } = this.#options;
    const path = objectPath(resource, { namespace: namespaceOf(object), name: nameOf(object) });
    if (!leads() || dig(object, "metadata", "deletionTimestamp") !== undefined) return;
    const wanted = annotationsOf(object)["cleanup.kyverno.io/propagation-policy"];
    const propagationPolicy = propagations.find((each) => each === wanted);
    const uid = asString(dig(object, "metadata", "uid")) ?? "";
    const answer = await cluster.call({
      method: "DELETE",
      path,
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid },
        ...(propagationPolicy !== undefined && { propagationPolicy }),
      },
    });
    if (answer.ok) {
      deleted?.(resource);
      log.write("info", "time to live is over", { path });
    } else if (answer.status !== 404 && answer.status !== 409) {
      log.write("warn", "time to live is over, but the object stays", { path, reason: answer.message });
    }
  }
}
