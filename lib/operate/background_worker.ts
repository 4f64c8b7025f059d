import { type Decision, type Effect, evaluate, type PolicyRequest, type Snapshot } from "../engine/mod.ts";
import { asObject, asString } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { carryOut, readAgain } from "./carry_out.ts";

/** What the worker works with. */
export interface BackgroundOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  /** The user as whom the ports' cluster is called: rules are not asked about what they did themselves. */
  readonly self?: string;
  /**
   * Where triggers are taken from: from the request, or, the default of a live cluster, from the cluster, which knows
   * whether the request was really carried out.
   */
  readonly triggers?: "as-admitted" | "as-stored";
  /** Requests that may wait, with those that wait for another try; what does not fit is refused. 256 by default. */
  readonly capacity?: number;
  /** How often a request is tried; 10 by default, which takes 50 seconds. */
  readonly attempts?: number;
  /** Milliseconds before the second try; twice as many before each further one, at most a minute. 100 by default. */
  readonly firstDelay?: number;
  /** Request uids that are remembered, so that none is worked on twice; 4096 by default. */
  readonly memory?: number;
  /** Lets time pass; given in tests. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** The one rule that is to be asked, as for objects that were there before it. */
export interface OnlyRule {
  readonly policy: string;
  readonly rule: string;
}

/** One request with its tries so far. */
interface Job {
  readonly request: PolicyRequest;
  readonly only: OnlyRule | undefined;
  readonly tries: number;
  /** What was carried out for it already: a patch that adds to a list must not do so again. */
  readonly done: Set<string>;
}

const longestDelay = 60_000;
/** How long one try may take. */
const patience = 30_000;

/**
 * Carries out what generate and mutateExisting rules want, after the answer has gone out. Every try plans anew from the
 * cluster as it then is, so a try that was cut off can be repeated. A request is worked on once, however many webhooks
 * it came through, and never for a dry run. Waiting requests are kept in memory only: a restart forgets them.
 */
export class BackgroundWorker {
  readonly #options: BackgroundOptions;
  readonly #seen = new Set<string>();
  readonly #ready: Job[] = [];
  readonly #pausing = new Set<Promise<void>>();
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** Requests that wait, now or for another try. */
  get waiting(): number {
    return this.#ready.length + this.#pausing.size;
  }

  /** Takes a request that was allowed; whether there is something to do for it, and room. One rule may be meant only. */
  add(request: PolicyRequest, only?: OnlyRule): boolean {
    if (this.#closed || request.dryRun || !this.#concerns(request)) return false;
    if (request.uid !== "" && this.#seen.has(request.uid)) return false;
    if (this.waiting >= this.#capacity) {
      this.#log("error", "effects refused: too many requests wait", request);
      return false;
    }
    this.#remember(request.uid);
    this.#enqueue({ request, only, tries: 0, done: new Set() });
    return true;
  }

  /** Waits until there is room for one more. */
  async room(): Promise<void> {
    while (!this.#closed && this.waiting >= this.#capacity) {
      await (this.#running ?? Promise.race(this.#pausing));
    }
  }

  /** Waits until everything that was taken is done or given up: for tests, and for shutting down in peace. */
  async drain(): Promise<void> {
    while (this.#running !== undefined || this.#pausing.size > 0) {
      if (this.#running === undefined) await Promise.race(this.#pausing);
      else await this.#running;
    }
  }

  /** Takes nothing more, finishes what is under way, and drops what still waits. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ready.length = 0;
    await this.#running;
  }

  get #capacity(): number {
    return this.#options.capacity ?? 256;
  }

  #concerns({ kind, operation, namespace }: PolicyRequest): boolean {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) return false;
    return phases.some((phase) => snapshot.candidates(phase, { kind, operation, namespace }).length > 0);
  }

  #remember(uid: string): void {
    this.#seen.add(uid);
    if (this.#seen.size <= (this.#options.memory ?? 4096)) return;
    const [oldest] = this.#seen;
    this.#seen.delete(oldest!);
  }

  #enqueue(job: Job): void {
    if (this.#closed) return;
    this.#ready.push(job);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Answers go first: work starts when the event loop has nothing else to do.
    await sleep(0);
    for (let job = this.#ready.shift(); job !== undefined; job = this.#ready.shift()) {
      await this.#attempt(job);
    }
    this.#running = undefined;
  }

  async #attempt(job: Job): Promise<void> {
    const { request, tries } = job;
    const failures = await this.#work(job);
    if (failures.length === 0) return;
    const attempts = this.#options.attempts ?? 10;
    const [{ message }] = failures as [Failure, ...Failure[]];
    if (tries + 1 >= attempts || failures.every(({ passing }) => !passing)) {
      this.#log("error", "effects given up", request, { tries: tries + 1, cause: message });
      return;
    }
    this.#log("debug", "effects are tried again", request, { tries: tries + 1, cause: message });
    const delay = Math.min((this.#options.firstDelay ?? 100) * 2 ** tries, longestDelay);
    const pause = (this.#options.wait ?? sleep)(delay).then(() => {
      this.#pausing.delete(pause);
      this.#enqueue({ ...job, tries: tries + 1 });
    });
    this.#pausing.add(pause);
  }

  /** Plans and carries out everything for a request; answers with what could not be done. */
  async #work(job: Job): Promise<Failure[]> {
    const request = await this.#triggerOf(job.request);
    if ("message" in request) return [request];
    const failures: Failure[] = [];
    for (const phase of phases) {
      const snapshot = this.#options.snapshot();
      if (snapshot === undefined) return [{ message: "no policies are loaded", passing: true }];
      const { ports, self } = this.#options;
      try {
        const decision = await evaluate(snapshot, request, {
          phase,
          ports,
          rules: "admission",
          background: self === undefined ? {} : { self },
          ...(job.only !== undefined && { policy: job.only.policy }),
          deadline: () => AbortSignal.timeout(patience),
        });
        const isMeant = ({ rule }: { readonly rule: string }): boolean =>
          job.only === undefined || rule === job.only.rule;
        failures.push(...planFailures(decision, isMeant));
        for (const effect of decision.effects.filter(isMeant)) {
          failures.push(...await this.#carryOut(effect, job));
        }
      } catch (cause) {
        failures.push({ message: cause instanceof Error ? cause.message : String(cause), passing: true });
      }
    }
    return failures;
  }

  /**
   * The request with its trigger as it was stored. A trigger that is not there was refused by somebody else, or is still
   * being stored.
   */
  async #triggerOf(request: PolicyRequest): Promise<PolicyRequest | Failure> {
    const { object, operation, name, subresource } = request;
    const isStored = this.#options.triggers === "as-stored" && object !== undefined && name !== "" &&
      subresource === "" && (operation === "CREATE" || operation === "UPDATE");
    if (!isStored) return request;
    const answer = await readAgain(object, this.#options.ports.cluster, AbortSignal.timeout(patience));
    if (!answer.ok) return { message: `the trigger cannot be read: ${answer.message}`, passing: true };
    const stored = asObject(answer.body);
    if (operation === "UPDATE" || stored === undefined) return request;
    return { ...request, object: stored, variable: { ...request.variable, object: stored } };
  }

  async #carryOut(effect: Effect, { request, done }: Job): Promise<Failure[]> {
    const key = keyOf(effect);
    if (done.has(key)) return [];
    const carried = await carryOut(effect, this.#options.ports.cluster, AbortSignal.timeout(patience));
    if (!carried.done) {
      if (effect.dispensable === undefined) return [carried];
      this.#log("warn", "effect left out", request, { reason: effect.reason, cause: carried.message });
      return [];
    }
    done.add(key);
    const { verb, object, policy, rule, reason } = effect;
    if (carried.changed) {
      this.#log("info", `effect: ${verb}`, request, {
        policy,
        rule,
        reason,
        object: [
          asString(object["kind"]) ?? "",
          namespaceOf(object),
          nameOf(object),
        ].filter((part) => part !== "").join("/"),
      });
    }
    return [];
  }

  #log(
    level: Parameters<Log["write"]>[0],
    message: string,
    { uid, kind, namespace, name }: PolicyRequest,
    fields: Parameters<Log["write"]>[2] = {},
  ): void {
    this.#options.log.write(level, message, { uid, kind, namespace, name, ...fields });
  }
}

const phases = ["generate", "mutateExisting"] as const;

interface Failure {
  readonly message: string;
  readonly passing: boolean;
}

/** Rules that erred, and effects that could not be planned: a source or a target may come yet. */
function planFailures(
  { results }: Decision,
  isMeant: (result: { readonly rule: string }) => boolean,
): Failure[] {
  return results.flatMap(({ policy, rules }) =>
    rules.filter(isMeant).flatMap(({ rule, result, message, unplanned = [] }) => {
      const causes = result === "error" ? [message, ...unplanned] : unplanned;
      return causes.map((cause) => ({ message: `${policy.key}/${rule}: ${cause}`, passing: true }));
    })
  );
}

/** What an effect is about. */
function keyOf({ policy, rule, verb, object, subresource = "" }: Effect): string {
  const metadata = asObject(object["metadata"]) ?? {};
  const type = [object["apiVersion"], object["kind"], subresource];
  return JSON.stringify([policy, rule, verb, type, metadata["namespace"], metadata["name"]]);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
