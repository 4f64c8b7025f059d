import type { CompiledRule, Snapshot } from "../engine/mod.ts";
import { isFault } from "../json/mod.ts";
import type { pause } from "../pause.ts";
import type { Log, Ports } from "../ports.ts";
import { Alarm } from "./alarm.ts";
import type { BackgroundWorker } from "./background_worker.ts";
import { type ExistingTrigger, existingTriggers } from "./existing_triggers.ts";
import { changeKey } from "./missed_changes.ts";
import { earlier, longestReview } from "./missed_note.ts";
import { onceOnly } from "./once_only.ts";
import { LeftOutEffects } from "./left_out_effects.ts";
import { OpenEvaluations } from "./open_evaluations.ts";
import { RuleFollower } from "./rule_follower.ts";
import { type RuleInForce, RulesInForce } from "./rules_in_force.ts";
import { sweepRule } from "./sweep.ts";
import { type UnseenTime, UnseenTimes } from "./unseen_times.ts";

/** The ports and intervals of the upkeep. */
export interface UpkeepOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  readonly worker: BackgroundWorker;
  /** Whether this replica runs the upkeep: one of several does. Always when absent. */
  readonly leads?: () => boolean;
  /** Receives the time since when effects are missing that this replica does not look for, as another one leads. */
  readonly handOver?: (since: number) => void;
  /** Stores the state that must survive a restart; without it the state is lost at the end. */
  readonly memory?: { read(): string; write(text: string): void };
  /** The time by the API server's clock, in milliseconds since 1970; that of `ports.clock` when absent. */
  readonly apiServerTime?: () => number;
  /** Milliseconds between two comparisons with the cluster: five minutes. */
  readonly every?: number;
  /** Waits for some milliseconds, or until the signal aborts; tests replace it. */
  readonly wait?: typeof pause;
  /** Milliseconds until the comparison that finds requests which the worker had no room for: half a minute. */
  readonly soon?: number;
  /** Milliseconds until a comparison that broke off is made again: five seconds. */
  readonly resume?: number;
}

const roundTimeoutMs = 600_000;

/**
 * Compares the cluster with the rules, so that effects do not depend on the request that caused them: at the start,
 * when policies change, when the worker had no room, and from time to time. One comparison runs at a time; requests
 * for another one meanwhile are joined into one. It throws nothing: failures are logged, and the next comparison
 * tries again.
 *
 * It shares no list with the background scan, though both may be about Namespaces: the scan follows a kind by a watch,
 * keeps names and versions alone, and lists objects again when its policies change. A comparison needs whole triggers,
 * listed after the objects that were generated for them, and deletes nothing unless every page was read.
 */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #stop = new AbortController();
  #rules: RulesInForce | undefined;
  /** The policies at the last comparison. */
  #before: Snapshot | undefined;
  readonly #follower: RuleFollower;
  /** The time since when the worker has no room; `undefined` while it has room. */
  #missedSince: number | undefined;
  /** The time since when effects of killed replicas may be missing; `undefined` when none was killed. */
  #lostSince: number | undefined;
  /** The parts of these times that were not looked up yet, for each rule. */
  readonly #unseen = new UnseenTimes();
  #running: Promise<void> | undefined;
  #isWanted = false;
  /** Whether the next comparison is about all rules, also those that did not change since the last one. */
  #isOfAll = false;
  /** The rules that were compared with the cluster as they are now compiled. */
  #compared = new WeakSet<CompiledRule>();
  /** Whether a comparison broke off. It may be for a moment that this replica does not lead: a renewal is late. */
  #isBroken = false;
  /** Begins the next comparison. */
  readonly #alarm: Alarm;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#follower = new RuleFollower({ ...options, goesOn: () => this.#goesOn });
    this.#alarm = new Alarm(options.ports.clock, () => this.compare());
  }

  /** Compares all rules with the cluster now, or again after the running comparison. */
  compare(): void {
    this.#isOfAll = true;
    this.policiesChanged();
  }

  /**
   * Compares the rules that are new or changed, by their exceptions too, or were not compared to the end. The change of
   * another policy does not list the objects of hundreds of rules again.
   */
  policiesChanged(): void {
    if (this.#stop.signal.aborted) return;
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** Notes that the worker refused a request, which waited for some milliseconds: its effects are looked up soon. */
  missed(waited = 0): void {
    this.missedSince(this.#now() - longestReview - waited);
  }

  /** Notes that effects are missing since a time of {@link UpkeepOptions.apiServerTime}: they are looked up soon. */
  missedSince(since: number): void {
    const { soon = 30_000 } = this.#options;
    this.#missedSince = earlier(this.#missedSince, since);
    if (this.#goesOn) this.#alarm.set(soon);
    else this.#handOver();
  }

  /**
   * Notes that a replica was killed, and since when its effects may be missing (milliseconds since 1970 by the API
   * server's clock): the last renewal of a leader, or the first request that waited. A comparison carries out the
   * effects of requests that were admitted since shortly before, as far as the stored objects show them and no patch
   * adds to what it finds for a second time.
   */
  replicaLost(since: number): void {
    this.#lostSince = earlier(this.#lostSince, since - longestReview);
    this.compare();
  }

  /** Waits until the running and the requested comparison have ended. */
  async done(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Ends the running comparison. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#alarm.close();
    await this.#running;
    this.#handOver();
  }

  #handOver(): void {
    const since = earlier(earlier(this.#missedSince, this.#lostSince), this.#unseen.since);
    const { handOver } = this.#options;
    if (since === undefined || handOver === undefined) return;
    this.#missedSince = this.#lostSince = undefined;
    this.#unseen.clear();
    handOver(since);
  }

  #now(): number {
    const { ports, apiServerTime } = this.#options;
    return apiServerTime?.() ?? ports.clock.now();
  }

  async #run(): Promise<void> {
    const { log, leads = () => true, every = 300_000, resume = 5_000 } = this.#options;
    // Several requests for a comparison become one.
    await Promise.resolve();
    while (this.#isWanted && !this.#stop.signal.aborted) {
      if (this.#isOfAll) this.#compared = new WeakSet();
      this.#isWanted = this.#isBroken = this.#isOfAll = false;
      try {
        // A replica that leads later begins with a comparison of all.
        if (leads()) await this.#compareOnce();
        else {
          this.#rules = undefined;
          this.#compared = new WeakSet();
          this.#handOver();
        }
      } catch (cause) {
        log.write("error", "the cluster could not be checked", { cause: String(cause) });
        this.#isBroken = true;
      }
    }
    this.#running = undefined;
    this.#alarm.set(this.#isBroken ? resume : every);
  }

  async #compareOnce(): Promise<void> {
    const { snapshot, ports, log, memory } = this.#options;
    const current = snapshot();
    if (current === undefined) return;
    const before = this.#before;
    this.#before = current;
    this.#rules ??= new RulesInForce(memory?.read());
    const rules = await this.#rules.update(current, this.#now());
    this.#noteUnseen(rules);
    await this.#follower.follow(before, current);
    for (const each of rules) {
      if (!this.#goesOn) return void (this.#isBroken = true);
      const isNew = each.changed && each.rule.body.appliesToExisting === true;
      const unseen = this.#unseen.take(each);
      if (isNew) await this.#evaluateExisting(each);
      else if (unseen !== undefined) await this.#evaluateExisting(each, unseen);
      else if (this.#compared.has(each.rule)) continue;
      const { signal, release } = this.#limit();
      const fault = await sweepRule(each, { snapshot: current, ports, log, isEvaluated: isNew, signal });
      if (!isFault(fault) && !signal.aborted) this.#compared.add(each.rule);
      release();
      if (isFault(fault)) {
        const { policy: { key }, rule: { rule } } = each;
        log.write("warn", "the synchronized objects of a rule could not be checked", {
          policy: key,
          rule: rule.name,
          cause: fault.message,
        });
      }
    }
    // Only rules that were compared once are remembered.
    if (this.#goesOn) memory?.write(this.#rules.text);
  }

  /** Notes for each rule since when its effects may be missing. */
  #noteUnseen(rules: readonly RuleInForce[]): void {
    const since = earlier(this.#missedSince, this.#lostSince);
    this.#missedSince = this.#lostSince = undefined;
    this.#unseen.keep(rules);
    if (since === undefined) return;
    const until = this.#now() + clockPrecision;
    for (const { key } of rules) this.#unseen.add(key, { since, until, evaluated: new Set() });
  }

  get #goesOn(): boolean {
    return !this.#stop.signal.aborted && (this.#options.leads?.() ?? true);
  }

  /** Aborts a comparison that takes too long, or that runs on a replica which no longer leads. */
  #limit(): { readonly signal: AbortSignal; release(): void } {
    const lost = new AbortController();
    const timer = setInterval(() => this.#goesOn || lost.abort(), 500);
    return {
      signal: AbortSignal.any([this.#stop.signal, lost.signal, AbortSignal.timeout(roundTimeoutMs)]),
      release: () => {
        clearInterval(timer);
        this.#isBroken ||= lost.signal.aborted;
      },
    };
  }

  /**
   * Makes the worker evaluate a rule for existing objects: all, or those of an unseen time. Until the rule was
   * evaluated for all, it counts as new after a restart; no target is changed twice then. Objects of an unseen time
   * that could not be listed, or lost their room, are left to the next comparison.
   */
  async #evaluateExisting(each: RuleInForce, unseen?: UnseenTime): Promise<void> {
    const { worker, ports: { cluster }, log, memory, wait } = this.#options;
    const rules = this.#rules!, evaluated = unseen === undefined ? rules.evaluating(each.key) : () => {};
    const { signal, release } = this.#limit();
    const leftOut = new LeftOutEffects(log);
    const open = new OpenEvaluations((isComplete) => {
      leftOut.write();
      evaluated(isComplete);
      if (unseen !== undefined && !isComplete) {
        this.#unseen.add(each.key, unseen);
        if (!this.#goesOn) this.#handOver();
      }
      if (rules === this.#rules && this.#goesOn) memory?.write(rules.text);
    });
    try {
      const reading = { cluster, log, signal };
      const options = { ...reading, ...(unseen !== undefined && { unseen }), ...(wait && { wait }) };
      for await (const found of existingTriggers(each, options)) {
        if (isFault(found)) open.miss();
        else {
          await worker.room();
          this.#evaluate(found, each, { open, unseen, leftOut });
        }
      }
    } catch (cause) {
      open.miss();
      throw cause;
    } finally {
      release();
      open.end();
    }
  }

  /** Gives the worker one existing object. */
  #evaluate(
    { request, only, missed }: ExistingTrigger,
    { rule, resumed, since: ruleSince }: RuleInForce,
    { open, unseen, leftOut }: {
      readonly open: OpenEvaluations;
      readonly unseen: UnseenTime | undefined;
      readonly leftOut: LeftOutEffects;
    },
  ): void {
    const key = missed && changeKey(request.object ?? {}, missed);
    const since = missed?.at ?? (resumed ? ruleSince : undefined);
    open.begin(() =>
      this.#options.worker.add(request, {
        only,
        ...(since !== undefined &&
          { onceOnly: (planned, plan) => onceOnly(planned, { ...plan, leftOut }, since) }),
        ended: (end) => {
          // A generate rule makes nothing twice, so it may be evaluated again.
          if (end === "over" && rule.type !== "generate" && key !== undefined) unseen?.evaluated.add(key);
          open.end(end);
        },
      })
    );
  }
}

/** Milliseconds by which the API server's time may be ahead of the estimate: dates have whole seconds. */
const clockPrecision = 2_000;
