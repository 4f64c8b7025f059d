import { asObject, type Json, type JsonObject } from "../json/mod.ts";
import { annotationsOf } from "../kube/mod.ts";
import { type Answer, type Clock, type Cluster, elapsedOn, type Log } from "../ports.ts";
import { pause } from "../pause.ts";
import { ApiServerClock } from "./api_server_clock.ts";
import { annotated, holderOf, renewalOf, renewed } from "./lease.ts";
import { earlier, longestReview, missedSinceOf, withMissedSince } from "./missed_note.ts";
import { isRejected } from "./rejected_call.ts";
import { StoredLease } from "./stored_lease.ts";
import { WaitingNotes, withoutWaiting } from "./waiting_notes.ts";

/** The Lease, the ports and the times of an election. */
export interface LeadershipOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  /** The namespace of the Lease (`coordination.k8s.io/v1`). */
  readonly namespace: string;
  readonly name: string;
  /** The name of this replica in the Lease. */
  readonly identity: string;
  /** Milliseconds without a renewal after which another replica may lead: 8,000. */
  readonly lasts?: number;
  /** Milliseconds between two reads of the Lease, and between two renewals: 2,000. */
  readonly every?: number;
  /**
   * Called when this replica begins to lead. If the former leader stopped without giving the Lease back, `silentSince`
   * is its last renewal that this replica saw, in milliseconds since 1970 by the API server's clock.
   */
  readonly elected: (silentSince?: number) => void;
  /**
   * Called on the leader with the time since when effects of a replica are missing, in milliseconds since 1970 by the
   * API server's clock; see {@link Leadership.missed}.
   */
  readonly missed?: (since: number) => void;
  /**
   * The milliseconds since the first of the waiting requests whose effects would be lost with this replica; `undefined`
   * when none waits. Other replicas learn of it while this one does not lead.
   */
  readonly longestWait?: () => number | undefined;
  /**
   * Called on the leader when another replica was killed while effects waited on it, with the time since when they may
   * be missing, in milliseconds since 1970 by the API server's clock.
   */
  readonly replicaLost?: (since: number) => void;
  /** Waits for some milliseconds; tests replace it. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * The last renewal of the Lease that this replica saw, with the time on its own clock: clocks of different machines
 * are not compared.
 */
interface Seen {
  readonly renewal: string;
  readonly at: number;
}

/** How often a write of the Lease is tried again when another replica wrote it meanwhile. */
const mostTries = 3;

/**
 * Elects one leader among the replicas by a Lease. The leader renews it. When it does not renew for as long as the
 * Lease lasts, another replica takes over; when it releases the Lease, at once. A leader that cannot renew stops
 * leading before another may begin. Where the Lease can neither be read nor created, each replica leads and logs the
 * missing rights.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #stop = new AbortController();
  readonly #lasts: number;
  readonly #lease: StoredLease;
  readonly #apiServerClock: ApiServerClock;
  readonly #waiting: WaitingNotes;
  /** Ends the pause between two reads of the Lease. */
  #rest = new AbortController();
  #renewedAt = -Infinity;
  /** Whether the Lease can neither be read nor created: every replica then leads. */
  #hasNoLease = false;
  #isReported = false;
  /**
   * The last renewal of a leader that was killed, until `elected` is called with it or another replica leads;
   * `undefined` when the former leader gave the Lease back.
   */
  #silentSince: number | undefined;
  #seen: Seen = { renewal: "", at: 0 };
  /** Since when effects are missing that no leader looks for yet: not handed over, or not yet looked for. */
  #missedSince: number | undefined;
  /** Since when effects may be missing of replicas that were killed, until `replicaLost` is called with it. */
  #lostSince: number | undefined;
  #notes: Readonly<Record<string, string>> = {};
  #done: Promise<void> | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#lasts = options.lasts ?? 8_000;
    this.#lease = new StoredLease({ ...options, timeout: 2 * (options.every ?? 2_000) });
    this.#apiServerClock = new ApiServerClock(options.clock);
    this.#waiting = new WaitingNotes(options.identity, this.#lasts);
  }

  /** Whether this replica leads now. */
  get leads(): boolean {
    // It stops a while before another replica may begin.
    return this.#hasNoLease || elapsedOn(this.#options.clock) < this.#renewedAt + this.#lasts * 0.8;
  }

  /** The annotations that the leader wrote on the Lease, for itself and for the replica that leads after it. */
  get notes(): Readonly<Record<string, string>> {
    return this.#notes;
  }

  /** The time by the API server's clock, in milliseconds since 1970: creation times of objects are its times. */
  get apiServerTime(): number {
    return this.#apiServerClock.now();
  }

  /** Stores annotations on the Lease with the next renewal. Only the leader may. */
  note(notes: Readonly<Record<string, string>>): void {
    this.#notes = { ...this.#notes, ...notes };
  }

  /**
   * Notes that effects are missing since a time. The leader looks for them: this replica, or the one that reads the
   * time on the Lease.
   */
  missed(since: number): void {
    this.#missedSince = earlier(this.#missedSince, since);
  }

  /**
   * Notes that a request waits long for its effects. A replica that does not lead writes so on the Lease at once, not
   * only when it reads the Lease next: it may be killed before.
   */
  waits(): void {
    if (!this.leads && !this.#waiting.isWritten) this.#rest.abort();
  }

  /** Begins to read the Lease. */
  start(): void {
    this.#done ??= this.#run();
  }

  /** Releases the Lease, so that another replica leads at once, and leaves it what is still to be looked for. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#rest.abort();
    await this.#done;
    const { leads } = this;
    this.#renewedAt = -Infinity;
    if (this.#done === undefined || this.#hasNoLease) return;
    this.#leaveLost();
    for (let tries = 0; tries < mostTries; tries++) {
      if (!leads && this.#missedSince === undefined && !this.#waiting.isWritten) return;
      const lease = await this.#lease.read();
      if (!lease.ok) continue;
      const isHeld = leads && holderOf(lease.body) === this.#options.identity;
      const written = await (isHeld ? this.#write(lease.body, "") : this.#leaveNotes(lease.body));
      if (written === undefined || written.ok) return;
    }
  }

  async #run(): Promise<void> {
    const { every = 2_000, wait = pause } = this.#options;
    while (!this.#stop.signal.aborted) {
      if (this.#rest.signal.aborted) this.#rest = new AbortController();
      // Another replica may write the Lease between the read and the write.
      for (let tries = 0; tries < mostTries && (await this.#readLease())?.status === 409; tries++);
      this.#report();
      await wait(every, this.#rest.signal);
    }
  }

  #report(): void {
    const { log, identity, elected } = this.#options;
    const { leads } = this;
    if (leads !== this.#isReported) {
      this.#isReported = leads;
      log.write("info", leads ? "this replica leads" : "another replica leads", { identity });
      if (leads) {
        const silentSince = this.#silentSince;
        this.#silentSince = undefined;
        elected(silentSince === undefined ? undefined : this.#apiServerClock.at(silentSince));
      }
    }
    if (!leads) return;
    const missedSince = this.#missedSince, lostSince = this.#lostSince;
    this.#missedSince = this.#lostSince = undefined;
    if (missedSince !== undefined) this.#options.missed?.(missedSince);
    if (lostSince !== undefined) this.#options.replicaLost?.(lostSince);
  }

  /** Reads the Lease, and takes, renews or annotates it. Returns the answer to the write, if there was one. */
  async #readLease(): Promise<Answer | undefined> {
    const { clock, identity } = this.#options;
    const started = elapsedOn(clock), date = clock.now();
    const answer = await this.#lease.read();
    if (answer.ok && answer.date !== undefined) this.#apiServerClock.compare(answer.date, date);
    if (!answer.ok) return await this.#withoutLease(answer, started);
    this.#hasNoLease = false;
    const holder = holderOf(answer.body), renewal = renewalOf(answer.body);
    if (renewal !== this.#seen.renewal) this.#seen = { renewal, at: started };
    const isFree = holder === "" || holder === identity || started >= this.#seen.at + this.#lasts;
    if (holder !== identity || this.#renewedAt === -Infinity) {
      this.#notes = withoutWaiting(annotationsOf(answer.body));
    }
    if (!isFree) {
      this.#leaveLost();
      return await this.#leaveNotes(answer.body);
    }
    const isSilent = holder !== "" && holder !== identity, silentSince = this.#seen.at;
    const { annotations, lostSince } = this.#waiting.withoutEnded(annotationsOf(answer.body), started);
    const written = await this.#write(annotated(answer.body, annotations), identity);
    // The API server may have stored a write that it did not answer. The Lease then no longer has what was read.
    if (!written.ok && isRejected(written)) return written;
    this.#lostSince = earlier(this.#lostSince, lostSince);
    this.#missedSince = earlier(this.#missedSince, missedSinceOf(answer.body));
    if (isSilent) this.#silentSince = earlier(this.#silentSince, silentSince);
    if (written.ok) this.#renewed(written, started);
    return written;
  }

  /** Creates the Lease if there is none. Without the right to read or to create it this replica leads. */
  async #withoutLease(
    unread: Extract<Answer, { ok: false }>,
    started: number,
  ): Promise<Answer | undefined> {
    if (unread.status !== 404 && unread.status !== 403) return undefined;
    const made = unread.status === 404 ? await this.#create() : unread;
    if (made.ok) this.#renewed(made, started);
    else if (made.status === 403 || made.status === 404) {
      if (!this.#hasNoLease) {
        const { log, namespace, name } = this.#options;
        log.write(
          "warn",
          "every replica leads, as the Lease can neither be read nor made: apply the manifests again",
          { lease: `${namespace}/${name}`, cause: made.message },
        );
      }
      this.#hasNoLease = true;
    }
    return made;
  }

  /** Leaves it to the leader to look for the effects of replicas that were killed, which this replica learned of. */
  #leaveLost(): void {
    const silentSince = this.#silentSince;
    const since = earlier(this.#lostSince, silentSince && this.#apiServerClock.at(silentSince));
    this.#lostSince = this.#silentSince = undefined;
    if (since !== undefined) this.missed(since - longestReview);
  }

  #renewed({ body }: Extract<Answer, { ok: true }>, at: number): void {
    this.#renewedAt = at;
    this.#seen = { renewal: renewalOf(body), at };
  }

  #create(): Promise<Answer> {
    return this.#lease.create(this.#held(this.#lease.unheld, this.#options.identity));
  }

  #write(lease: Json, holder: string): Promise<Answer> {
    return this.#lease.replace(this.#held(asObject(lease) ?? {}, holder));
  }

  /**
   * Writes on the Lease of another replica since when effects are missing, unless an earlier time is there, and since
   * when effects wait here.
   */
  async #leaveNotes(lease: Json): Promise<Answer | undefined> {
    const since = this.#missedSince, noted = missedSinceOf(lease), former = annotationsOf(lease);
    this.#missedSince = undefined;
    const missedSince = earlier(since, noted);
    const missed = missedSince === noted ? former : withMissedSince(former, missedSince);
    const annotations = this.#waiting.renew(missed, this.#waitingSince);
    if (annotations === former) return undefined;
    const written = await this.#lease.replace(annotated(lease, annotations));
    if (!written.ok && since !== undefined) this.missed(since);
    return written;
  }

  get #waitingSince(): number | undefined {
    const waited = this.#options.longestWait?.();
    return waited === undefined ? undefined : this.apiServerTime - waited;
  }

  /**
   * The Lease as this replica writes it while it leads, or when it stops: then the holder is empty. A leader removes
   * the time since when effects are missing, because it looks for them now; one that stops leaves it for the next.
   */
  #held(lease: JsonObject, holder: string): JsonObject {
    const missedSince = holder === "" ? earlier(this.#missedSince, missedSinceOf(lease)) : undefined;
    const annotations = withMissedSince({ ...annotationsOf(lease), ...this.#notes }, missedSince);
    const holding = { holder, now: this.#options.clock.now(), lasts: this.#lasts };
    return renewed(annotated(lease, annotations), holding);
  }
}
