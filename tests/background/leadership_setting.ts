/** Replicas that elect a leader by a Lease, in a time that tests advance. */
import { Leadership, type LeadershipOptions } from "../../lib/background/mod.ts";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import type { Answer, ApiCall, Cluster, Log } from "../../lib/ports.ts";
import { documents, keptLog } from "./setting.ts";

/** A clock that the test advances, in steps of half a second. */
export class MadeTime {
  #now = 1_700_000_000_000;
  readonly #waiting = new Set<{ readonly at: number; readonly resolve: () => void }>();

  now(): number {
    return this.#now;
  }

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const entry = { at: this.#now + milliseconds, resolve };
      this.#waiting.add(entry);
      signal.addEventListener("abort", () => resolve());
    });
  }

  async pass(seconds: number, each: () => void = () => {}): Promise<void> {
    for (let step = 0; step < seconds * 2; step++) {
      this.#now += 500;
      for (const entry of this.#waiting) {
        if (entry.at > this.#now) continue;
        this.#waiting.delete(entry);
        entry.resolve();
      }
      await new Promise((resolve) => setTimeout(resolve, 0));
      each();
    }
  }
}

/** Faults of a replica, which tests set, and the calls that it made. */
interface ReplicaState {
  /** Whether it does not reach the API server. */
  cut: boolean;
  /** How many answers to writes are lost, after the API server stored what was written. */
  lostAnswers: number;
  /** Milliseconds that the API server takes to store a write and answer. */
  writesTake: number;
  elections: number;
  since: number | undefined;
  readonly missed: number[];
  readonly lost: number[];
  longestWait: number | undefined;
}

/** A replica that takes part in the election. */
export interface Replica extends ReplicaState {
  readonly leadership: Leadership;
  readonly log: Log & { readonly lines: string[] };
}

/** A cluster and its replicas. */
export interface Replicas {
  readonly time: MadeTime;
  readonly cluster: Cluster;
  readonly start: (identity: string, options?: Partial<LeadershipOptions>) => Replica;
}

const noAnswer: Answer = { ok: false, status: undefined, message: "no connection" };

/** A cluster without a Lease. `start` starts a replica. */
export function replicas(): Replicas {
  const time = new MadeTime();
  let seed = 0;
  const cluster = new EmbeddedCluster({
    objects: documents("{apiVersion: v1, kind: Namespace, metadata: {name: postern}}"),
    clock: time,
    entropy: { next: () => (++seed % 1000) / 1000 },
  });
  /** The API server's clock is the test's. */
  const dated = async (call: ApiCall): Promise<Answer> => {
    const answer = await cluster.call(call);
    return answer.ok ? { ...answer, date: Math.floor(time.now() / 1_000) * 1_000 } : answer;
  };
  const start = (identity: string, options: Partial<LeadershipOptions> = {}): Replica => {
    const log = keptLog();
    const missed: number[] = [], lost: number[] = [];
    const state: ReplicaState = {
      cut: false,
      lostAnswers: 0,
      writesTake: 0,
      elections: 0,
      since: undefined,
      missed,
      lost,
      longestWait: undefined,
    };
    const reached: Cluster = {
      call: async (call: ApiCall): Promise<Answer> => {
        if (state.cut) return noAnswer;
        if (call.method !== "PUT") return await dated(call);
        if (state.writesTake > 0) await time.wait(state.writesTake, new AbortController().signal);
        const answer = await dated(call);
        return answer.ok && state.lostAnswers-- > 0 ? noAnswer : answer;
      },
      resource: (...type) => cluster.resource(...type),
    };
    const leadership = new Leadership({
      cluster: reached,
      clock: time,
      log,
      namespace: "postern",
      name: "postern",
      identity,
      elected: (since) => {
        state.elections++;
        state.since = since;
      },
      missed: (since) => void missed.push(since),
      longestWait: () => state.longestWait,
      replicaLost: (since) => void lost.push(since),
      wait: (milliseconds, signal) => time.wait(milliseconds, signal),
      ...options,
    });
    leadership.start();
    return Object.assign(state, { leadership, log });
  };
  return { time, cluster, start };
}

/** A replica that leads after some seconds, and others that start then. */
export async function leaderAndOthers(
  ...identities: readonly string[]
): Promise<Replicas & { readonly first: Replica; readonly others: readonly Replica[] }> {
  const setting = replicas(), first = setting.start("a");
  await setting.time.pass(5);
  return { ...setting, first, others: identities.map((identity) => setting.start(identity)) };
}
