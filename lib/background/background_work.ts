import { changesOtherObjects, type Snapshot } from "../engine/mod.ts";
import { pause } from "../pause.ts";
import type { Log, Ports } from "../ports.ts";
import { BackgroundWorker } from "./background_worker.ts";
import { Leadership } from "./leadership.ts";
import { LongWaits } from "./long_waits.ts";
import { addPosternUsername } from "./postern_username.ts";
import { onceOnlyInDoubt } from "./once_only.ts";
import { Upkeep } from "./upkeep.ts";
import type { EffectsResult } from "./effects_result.ts";

/** The Lease by which replicas elect a leader, and how this replica appears in it. */
export interface LeaseSetting {
  readonly namespace: string;
  readonly name: string;
  /** The name of this replica's pod, with which its name in the Lease begins. */
  readonly replica?: string | undefined;
}

/** The ports of background work, its Lease, and its listeners. */
export interface BackgroundWorkOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  /**
   * The Lease by which replicas elect a leader, in the cluster that they share. Absent for an embedded cluster, which
   * belongs to this process and does not store admitted objects.
   */
  readonly lease?: LeaseSetting;
  /** The service account that acts for policies, besides the user name under which the API server knows Postern. */
  readonly account?: string | undefined;
  /** Receives the result of each request's effects; returns true when an UpdateRequest will retry the failed ones. */
  readonly effectsTried?: (result: EffectsResult) => boolean | void;
  /** Called when this replica becomes the leader. */
  readonly elected?: () => void;
  /** Milliseconds between two comparisons with the cluster; see {@link Upkeep}. */
  readonly every?: number;
}

/** The longest time, in milliseconds, for which a replica that ends goes on carrying out effects. */
const finishingTime = 3_000;

/** The annotation of the Lease in which the leader stores since when rules are in force. */
const rulesNote = "postern.dev/rules-in-force";

/**
 * The work besides answering requests: the worker, which every replica runs for the requests that it admitted, and
 * the upkeep, which the leader runs for all.
 */
export class BackgroundWork {
  readonly worker: BackgroundWorker;
  readonly #upkeep: Upkeep;
  readonly #leadership: Leadership | undefined;
  readonly #stop = new AbortController();

  private constructor(options: BackgroundWorkOptions, actors: ReadonlySet<string>) {
    const { snapshot, ports, log, lease, every } = options;
    const longWaits = new LongWaits({
      longestWait: () => this.worker.longestWait,
      reported: () => this.#leadership?.waits(),
      signal: this.#stop.signal,
    });
    this.worker = new BackgroundWorker({
      snapshot,
      ports,
      log,
      triggers: lease === undefined ? "as-admitted" : "as-stored",
      actors,
      refused: (_, waited) => this.#upkeep.missed(waited),
      taken: () => longWaits.watch(),
      inDoubt: onceOnlyInDoubt,
      ...(options.effectsTried !== undefined && { effectsTried: options.effectsTried }),
    });
    const leadership = lease === undefined ? undefined : new Leadership({
      ...lease,
      cluster: ports.cluster,
      clock: ports.clock,
      log,
      identity: `${lease.replica ?? lease.name}_${crypto.randomUUID()}`,
      elected: (silentSince) => {
        if (silentSince !== undefined) this.#upkeep.replicaLost(silentSince);
        this.#upkeep.compare();
        options.elected?.();
      },
      missed: (since) => this.#upkeep.missedSince(since),
      longestWait: () => this.worker.longestWait,
      replicaLost: (since) => this.#upkeep.replicaLost(since),
    });
    this.#leadership = leadership;
    this.#upkeep = new Upkeep({
      snapshot,
      ports,
      log,
      worker: this.worker,
      leads: () => this.leads,
      ...(leadership !== undefined && {
        apiServerTime: () => leadership.apiServerTime,
        handOver: (since: number) => leadership.missed(since),
        memory: {
          read: () => leadership.notes[rulesNote] ?? "",
          write: (text: string) => leadership.note({ [rulesNote]: text }),
        },
      }),
      ...(every !== undefined && { every }),
    });
  }

  /** Prepares the work; it begins with {@link loaded} policies. */
  static async prepare(options: BackgroundWorkOptions): Promise<BackgroundWork> {
    const actors = new Set(options.account === undefined ? [] : [options.account]);
    const work = new BackgroundWork(options, actors);
    // Without a live cluster rules are evaluated for changes by Postern itself, too.
    if (options.lease !== undefined) {
      const { ports: { cluster }, log } = options;
      await addPosternUsername(actors, { cluster, log, signal: work.#stop.signal });
    }
    return work;
  }

  /** Whether this replica does the work that one replica does for all. */
  get leads(): boolean {
    return this.#leadership?.leads ?? true;
  }

  /** Takes new policies. Without rules that change other objects no leader is needed. */
  loaded({ policies }: Snapshot): void {
    if (policies.some(changesOtherObjects)) this.#leadership?.start();
    this.#upkeep.policiesChanged();
  }

  /** Takes part in the election of a leader, also when no rule changes other objects. */
  joinElection(): void {
    this.#leadership?.start();
  }

  /** Ends the work, and lets another replica lead, which looks for the effects that were not carried out. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#upkeep.close();
    for (let left = finishingTime; left > 0 && this.worker.longestWait !== undefined; left -= 50) {
      await pause(50);
    }
    await this.worker.close();
    await this.#leadership?.close();
  }
}
