import type { Effect, PolicyRequest } from "../engine/mod.ts";
import { asObject } from "../json/mod.ts";
import { objectText } from "../kube/mod.ts";
import { elapsedOn, type Log, type Ports } from "../ports.ts";
import { carryOut } from "./carry_out.ts";
import { CorrectionLimit } from "./correction_limit.ts";
import type { Failure } from "./failure.ts";

/** The ports of an {@link EffectWriter}. */
export interface EffectWriterOptions {
  readonly ports: Pick<Ports, "cluster" | "clock">;
  readonly log: Log;
  /** Milliseconds that one effect may take. */
  readonly timeout: number;
}

/** A request whose effects are carried out, perhaps in several tries. */
export interface EffectJob {
  readonly request: PolicyRequest;
  /**
   * The effects that earlier tries carried out, by identity. A later try must not repeat a patch that adds to a list.
   */
  readonly done: Map<string, Effect>;
  /** The updates of earlier tries that the API server did not answer, by identity: it may have stored them. */
  readonly doubtful: Map<string, Effect>;
}

/** Writes the objects that effects are about, each effect of a job once, and corrections not too often. */
export class EffectWriter {
  readonly #options: EffectWriterOptions;
  readonly #corrections = new CorrectionLimit();
  /** The objects for which a job waits until another correction is allowed. */
  readonly #contested = new Map<string, EffectJob>();

  constructor(options: EffectWriterOptions) {
    this.#options = options;
  }

  /** Carries out a correction, unless the object was corrected too often. */
  async correct(effect: Effect, job: EffectJob): Promise<readonly Failure[]> {
    // One job waits for the next allowed correction, and reads the object again; the others leave it to that job.
    const key = effectKey(effect), waiting = this.#contested.get(key);
    if (waiting !== undefined && waiting !== job) return [];
    const delay = this.#corrections.delay(key, elapsedOn(this.#options.ports.clock));
    if (delay === 0) {
      this.#contested.delete(key);
      return await this.carryOut(effect, job);
    }
    const { policy, rule } = effect, object = objectText(effect.object);
    const message = `${object} is changed again and again: it is corrected every few seconds only`;
    this.#contested.set(key, job);
    if (this.#corrections.isFirstRefusal(key)) {
      const user = job.request.requester?.username ?? "";
      const fields = { ...requestFields(job.request), policy, rule, object, user };
      this.#options.log.write("warn", "a generated object is changed again and again", fields);
    }
    return [{ message, retryable: true, delay, by: { policy, rule } }];
  }

  /** Carries out an effect, unless an earlier try of the job did. */
  async carryOut(effect: Effect, { request, done, doubtful }: EffectJob): Promise<Failure[]> {
    const key = effectKey(effect);
    if (done.has(key)) return [];
    const carried = await carryOut(
      effect,
      this.#options.ports.cluster,
      AbortSignal.timeout(this.#options.timeout),
    );
    if (!carried.done) {
      if (carried.isDoubtful && effect.verb === "update") doubtful.set(key, effect);
      if (effect.dispensable === undefined) {
        return [{ ...carried, by: { policy: effect.policy, rule: effect.rule } }];
      }
      this.#options.log.write("warn", "effect left out", {
        ...requestFields(request),
        reason: effect.reason,
        cause: carried.message,
      });
      return [];
    }
    done.set(key, effect);
    const { verb, policy, rule, reason } = effect;
    if (carried.changed) {
      this.#options.log.write("info", `effect: ${verb}`, {
        ...requestFields(request),
        policy,
        rule,
        reason,
        object: objectText(effect.object),
      });
    }
    return [];
  }

  /** Notes that a job has ended: other jobs may correct the objects for which it waited. */
  forget(job: EffectJob): void {
    for (const [key, waiting] of this.#contested) if (waiting === job) this.#contested.delete(key);
  }
}

/** The fields of a log line that identify a request. */
export function requestFields(
  { uid, kind, namespace, name }: PolicyRequest,
): Readonly<Record<string, string>> {
  return { uid, kind, namespace, name };
}

/** The identity of an effect: its policy, rule, verb and target. */
export function effectKey({ policy, rule, verb, object, subresource }: Effect): string {
  const metadata = asObject(object["metadata"]) ?? {};
  const type = subresource === undefined
    ? [object["apiVersion"], object["kind"]]
    : [subresource.apiVersion, subresource.kind, subresource.name];
  return JSON.stringify([policy, rule, verb, type, metadata["namespace"], metadata["name"]]);
}
