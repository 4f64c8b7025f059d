import {
  type EffectsResult,
  existingRequest,
  type Intake,
  isOver,
  type JobScope,
} from "../../background/mod.ts";
import type { PolicyRequest } from "../../engine/mod.ts";
import { asString, dig, isObject, type JsonObject } from "../../json/mod.ts";
import { createdAt, nameOf, objectPath } from "../../kube/mod.ts";
import type { Clock, Cluster, Collection } from "../../ports.ts";
import { pause } from "../../pause.ts";
import { EffectProgress, type EffectState } from "./effect_progress.ts";
import type { OpenStatus, RequestWriter } from "./request_writer.ts";
import { FailedTries, failuresOf, roundsAfter } from "./retries.ts";
import { isMadeByPostern, type WantedEffect, wantedEffects } from "./update_request.ts";

/** The ports of {@link TakenRequests}. */
export interface TakenRequestsOptions {
  readonly cluster: Cluster;
  readonly clock: Pick<Clock, "now">;
  readonly leads: () => boolean;
  /** The stored UpdateRequests. */
  readonly stored: () => Collection;
  readonly writer: RequestWriter;
  readonly signal: AbortSignal;
  /** Carries out a rule's effects for an object, if the worker takes them. */
  readonly work: (request: PolicyRequest, scope: Pick<JobScope, "only" | "ended">) => Intake;
  /** Waits for some milliseconds, or until the signal aborts; tests replace it. */
  readonly wait?: typeof pause;
}

/** Milliseconds between two looks at the effects that wait. */
const roundMs = 30_000;
/** The rounds after which another replica has ended its tries, or is gone. */
const roundsOfReplica = 10;

/** The pause before an effect begins. */
type Waiting = Omit<Extract<EffectState, { is: "waiting" }>, "is">;

/** An effect of a stored UpdateRequest. */
interface Taken {
  readonly name: string;
  readonly index: number;
}

/**
 * Carries out the stored UpdateRequests that this replica did not make: those of other clients, and those whose replica
 * gave up or is gone. Each effect is done once; an UpdateRequest is deleted when all of its effects are done. When some
 * are not, it becomes Failed, and they are tried again after a pause; it is deleted when it failed too often.
 */
export class TakenRequests {
  readonly #options: TakenRequestsOptions;
  readonly #progress = new EffectProgress();
  /** The effects by the uid of the request that was made for each. */
  readonly #taken = new Map<string, Taken>();
  readonly #tries = new FailedTries();
  #isWaiting = false;

  constructor(options: TakenRequestsOptions) {
    this.#options = options;
  }

  /**
   * Begins the effects of an UpdateRequest that have not begun, those that failed after a pause or, on an election, at
   * once.
   */
  found(object: JsonObject, { isElected }: { readonly isElected: boolean }): void {
    const name = nameOf(object);
    if (!this.#options.leads()) return;
    // Kyverno parity: pinned by "an UpdateRequest that is Completed is deleted, and one to Skip stays".
    if (stateOf(object) === "Skip") return;
    if (stateOf(object) === "Completed") return this.#remove(name);
    const waiting = this.#waitingFor(object, isElected);
    for (const [index, wanted] of wantedEffects(object).entries()) {
      const state = this.#progress.get(name, index);
      if (state?.is === "open" || state?.is === "done") continue;
      if (state?.is === "failed" && !isElected) continue;
      if (state?.is === "waiting") {
        if (state.for === "room" || state.for === waiting?.for) continue;
        if (state.for === "retry" && !isElected) continue;
      }
      if (state?.is !== "failed" && waiting !== undefined) this.#wait({ name, index }, waiting);
      else this.#begin(object, { name, index }, wanted);
    }
    // Its deletion may have failed under the former leader, or when all was done.
    if (isElected && this.#progress.remainder(name) === "nothing") this.#writeRemainder(name);
  }

  /** Notes that an UpdateRequest was deleted. */
  gone(name: string): void {
    this.#forget(name);
  }

  /** Takes the result of an effect; false when it is of a request that came otherwise. */
  effectsTried(effects: EffectsResult): boolean {
    const { request, state, failures } = effects;
    const taken = this.#taken.get(request.uid);
    if (taken === undefined) return false;
    const message = failures[0]?.message ?? "";
    if (state === "failing") this.#writeStatus(taken.name, { state: "Pending", message });
    else {
      this.#taken.delete(request.uid);
      this.#end(taken, isOver(effects) ? { is: "done" } : { is: "failed", message });
    }
    return true;
  }

  /** The pause before the effects of an UpdateRequest begin; `undefined` when they begin at once. */
  #waitingFor(object: JsonObject, isElected: boolean): Waiting | undefined {
    const isFailed = stateOf(object) === "Failed";
    if (isFailed ? isElected : !isMadeByPostern(object)) return undefined;
    const rounds = isFailed ? roundsAfter(failuresOf(object)) : this.#roundsOf(object);
    return rounds === 0 ? undefined : { for: isFailed ? "retry" : "replica", rounds };
  }

  /** The rounds for which an UpdateRequest is left to the replica that made it. */
  #roundsOf(object: JsonObject): number {
    const age = this.#options.clock.now() - createdAt(object);
    const rounds = Math.ceil(roundsOfReplica - age / roundMs);
    return Number.isNaN(rounds) ? roundsOfReplica : Math.min(Math.max(rounds, 0), roundsOfReplica);
  }

  #begin(object: JsonObject, taken: Taken, wanted: WantedEffect): void {
    this.#progress.set(taken.name, taken.index, { is: "open" });
    this.#tries.atLeast(taken.name, failuresOf(object));
    this.#options.writer.later(() => this.#carryOut(object, taken, wanted));
  }

  async #carryOut(object: JsonObject, taken: Taken, { policy, rule, trigger }: WantedEffect): Promise<void> {
    const { cluster, work, writer } = this.#options;
    const apiVersion = asString(trigger["apiVersion"]) ?? "", kind = asString(trigger["kind"]) ?? "";
    const resource = await cluster.resource(apiVersion, kind);
    if (resource === undefined) return this.#fail(taken, `the cluster does not serve ${apiVersion}/${kind}`);
    const path = objectPath(resource, {
      namespace: asString(trigger["namespace"]) ?? "",
      name: asString(trigger["name"]) ?? "",
    });
    const answer = await writer.call({ method: "GET", path });
    if (answer.status === 404 && isMadeByPostern(object)) return this.#end(taken, { is: "done" });
    if (!answer.ok) return this.#fail(taken, `the trigger cannot be read: ${answer.message}`);
    if (!isObject(answer.body)) return this.#fail(taken, "the trigger is no object");
    const uid = crypto.randomUUID();
    this.#taken.set(uid, taken);
    const request = { ...existingRequest({ ...answer.body, apiVersion, kind }), uid };
    const ended: JobScope["ended"] = (end) => void (end === "refused" && this.#withoutRoom(uid, taken));
    const intake = work(request, { only: { policy, rule }, ended });
    if (intake === "taken") return;
    if (intake === "no room") {
      this.#withoutRoom(uid, taken);
      if (stateOf(object) === "Pending") return;
      return await writer.writeStatus(taken.name, {
        state: "Pending",
        message: "it waits for other requests",
      });
    }
    this.#taken.delete(uid);
    this.#fail(taken, `no rule ${rule} of policy ${policy} is about the trigger`);
  }

  #withoutRoom(uid: string, taken: Taken): void {
    this.#taken.delete(uid);
    if (this.#progress.get(taken.name, taken.index) !== undefined) {
      this.#wait(taken, { for: "room", rounds: 1 });
    }
  }

  #wait({ name, index }: Taken, waiting: Waiting): void {
    this.#progress.set(name, index, { is: "waiting", ...waiting });
    if (!this.#isWaiting) void this.#passRounds();
  }

  /** Begins effects when they have waited long enough. All that are due are looked up together. */
  async #passRounds(): Promise<void> {
    this.#isWaiting = true;
    while (this.#progress.isWaiting) {
      if (!await (this.#options.wait ?? pause)(roundMs, this.#options.signal)) break;
      const due = this.#progress.endRound();
      if (due.size === 0) continue;
      const stored = new Map(this.#options.stored().objects().map((object) => [nameOf(object), object]));
      for (const name of due) {
        const object = stored.get(name);
        if (object === undefined || !this.#options.leads()) this.#forget(name);
        else this.#beginDue(object, name);
      }
    }
    this.#isWaiting = false;
  }

  #beginDue(object: JsonObject, name: string): void {
    for (const [index, wanted] of wantedEffects(object).entries()) {
      const state = this.#progress.get(name, index);
      if (state?.is === "waiting" && state.rounds <= 0) this.#begin(object, { name, index }, wanted);
    }
  }

  #fail(taken: Taken, message: string): void {
    this.#end(taken, { is: "failed", message });
  }

  #end({ name, index }: Taken, state: EffectState): void {
    if (this.#progress.end(name, index, state)) this.#writeRemainder(name);
  }

  #writeRemainder(name: string): void {
    const remainder = this.#progress.remainder(name);
    if (remainder === "some effects") return;
    const status = remainder === "nothing" ? undefined : this.#tries.fail(name, remainder.failed);
    if (status === undefined) return this.#remove(name);
    this.#writeStatus(name, status);
    const rounds = roundsAfter(status.retryCount ?? 0);
    for (const index of this.#progress.failed(name)) this.#wait({ name, index }, { for: "retry", rounds });
  }

  #forget(name: string): void {
    this.#progress.forget(name);
    this.#tries.forget(name);
  }

  #remove(name: string): void {
    const { writer } = this.#options;
    writer.later(() => writer.remove(name));
  }

  #writeStatus(name: string, status: OpenStatus): void {
    const { writer } = this.#options;
    writer.later(() => writer.writeStatus(name, status));
  }
}

function stateOf(object: JsonObject): string {
  return asString(dig(object, "status", "state")) ?? "";
}
