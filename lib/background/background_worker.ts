import type { Effect, PolicyRequest, Snapshot } from "../engine/mod.ts";
import { asObject, asString } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { carryOut } from "./carry_out.ts";
import { changeOf } from "./followed_request.ts";
import type { Failure } from "./failure.ts";
import { type OnlyRule, phases, tryRequest } from "./request_try.ts";

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
 * Carries out what generate and mutateExisting rules want, after the answer has gone out, and keeps what was generated in
 * step when a request changes it or its source. Every try plans anew from the
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

  #concerns(request: PolicyRequest): boolean {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) return false;
    const isOwn = this.#options.self !== undefined && request.requester?.username === this.#options.self;
    if (!isOwn && changeOf(request) !== undefined) return true;
    const { kind, operation, namespace } = request;
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
      // That a request was not carried out after all is nobody's mistake.
      const level = failures.every(({ unfounded }) => unfounded) ? "debug" : "error";
      this.#log(level, "effects given up", request, { tries: tries + 1, cause: message });
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

  /** One try; answers with what could not be done. */
  async #work(job: Job): Promise<readonly Failure[]> {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) return [{ message: "no policies are loaded", passing: true }];
    const { ports, self, triggers = "as-admitted" } = this.#options;
    return await tryRequest(job.request, {
      snapshot,
      ports,
      self,
      triggers,
      only: job.only,
      patience,
      carryOut: (effect) => this.#carryOut(effect, job),
    });
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

/** What an effect is about. */
function keyOf({ policy, rule, verb, object, subresource = "" }: Effect): string {
  const metadata = asObject(object["metadata"]) ?? {};
  const type = [object["apiVersion"], object["kind"], subresource];
  return JSON.stringify([policy, rule, verb, type, metadata["namespace"], metadata["name"]]);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
