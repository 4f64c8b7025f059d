import type { Snapshot } from "../engine/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { BackgroundWorker } from "./background_worker.ts";
import { Leadership } from "./leadership.ts";
import { posternUsername } from "./postern_username.ts";
import { Upkeep } from "./upkeep.ts";
import type { WorkOutcome } from "./work_outcome.ts";

/** The ports of background work, its Lease, and its listeners. */
export interface BackgroundWorkOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  /**
   * Where replicas agree on who leads, with the API server that they share. Absent for an embedded cluster: it is this
   * process's own, and stores nothing of what is admitted.
   */
  readonly lease?: { readonly namespace: string; readonly name: string };
  /** The account that acts for policies, beside the user under which the API server knows Postern. */
  readonly account?: string | undefined;
  /** Receives the outcome of each request's effects. */
  readonly worked?: (outcome: WorkOutcome) => void;
  /** Called when this replica became the leader. */
  readonly elected?: () => void;
  /** Milliseconds between two looks at the cluster; see {@link Upkeep}. */
  readonly every?: number;
}

/** The annotation of the Lease in which the leader keeps since when rules are in force. */
const rulesNote = "postern.dev/rules-in-force";

/**
 * All that is done beside answering: the worker, which every replica has for the requests that it admitted, and the upkeep,
 * which the leader does for all.
 */
export class BackgroundWork {
  readonly worker: BackgroundWorker;
  readonly #upkeep: Upkeep;
  readonly #leadership: Leadership | undefined;

  private constructor(options: BackgroundWorkOptions, actors: ReadonlySet<string>) {
    const { snapshot, ports, log, lease, every } = options;
    this.worker = new BackgroundWorker({
      snapshot,
      ports,
      log,
      triggers: lease === undefined ? "as-admitted" : "as-stored",
      actors,
      refused: () => this.#upkeep.missed(),
      ...(options.worked !== undefined && { worked: options.worked }),
    });
    const leadership = lease === undefined ? undefined : new Leadership({
      ...lease,
      cluster: ports.cluster,
      clock: ports.clock,
      log,
      identity: `postern-${crypto.randomUUID()}`,
      elected: () => {
        this.#upkeep.look();
        options.elected?.();
      },
    });
    this.#leadership = leadership;
    this.#upkeep = new Upkeep({
      snapshot,
      ports,
      log,
      worker: this.worker,
      leads: () => this.leads,
      ...(leadership !== undefined && {
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
    // Only with a live cluster rules can be evaluated for Postern's own changes.
    const self = options.lease === undefined ? undefined : await posternUsername(options.ports.cluster);
    return new BackgroundWork(options, new Set([self, options.account].filter((name) => name !== undefined)));
  }

  /** Whether this replica does what one of all does. */
  get leads(): boolean {
    return this.#leadership?.leads ?? true;
  }

  /** Other policies came into force. Who has no rules that change other objects needs no leader. */
  loaded(policies: Snapshot): void {
    const changesOthers = policies.policies.some(({ rules }) =>
      rules.some(({ type }) => type === "generate" || type === "mutateExisting")
    );
    if (changesOthers) this.#leadership?.start();
    this.#upkeep.look();
  }

  /** Begins to agree with other replicas on a leader, also when no rule changes other objects. */
  lead(): void {
    this.#leadership?.start();
  }

  /** Ends what is under way, and lets another replica lead. */
  async close(): Promise<void> {
    await this.#upkeep.close();
    await this.worker.close();
    await this.#leadership?.close();
  }
}
