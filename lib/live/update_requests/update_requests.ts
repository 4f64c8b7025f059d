import type { EffectsResult } from "../../background/mod.ts";
import type { PolicyRequest, PolicyResult } from "../../engine/mod.ts";
import { asObject, asString, dig, type JsonObject } from "../../json/mod.ts";
import { nameOf, uidOf } from "../../kube/mod.ts";
import type { Clock, Cluster, Collection, Collections, Log } from "../../ports.ts";
import { changesOthers } from "../../rules/mod.ts";
import { MadeNames } from "./made_names.ts";
import { type OpenStatus, RequestWriter } from "./request_writer.ts";
import { TakenRequests, type TakenRequestsOptions } from "./taken_requests.ts";
import { isMadeByPostern, updateRequest } from "./update_request.ts";

/** The ports of {@link UpdateRequests}. */
export interface UpdateRequestsOptions extends Pick<TakenRequestsOptions, "leads" | "work" | "wait"> {
  readonly cluster: Cluster;
  readonly clock: Pick<Clock, "now">;
  readonly collections: Collections;
  readonly log: Log;
  /** The namespace of the UpdateRequests. */
  readonly namespace: string;
}

/**
 * The most UpdateRequests of Postern. Kyverno parity: Kyverno has the same limit. Pinned by "no more than 1,000
 * UpdateRequests are kept at a time".
 */
const mostUpdateRequests = 1_000;

/**
 * Keeps an UpdateRequest object for the effects that fail, with their state, and deletes it when they are done, or
 * failed too often. Users see which effects are missing, and the leader retries them. The leader also carries out the
 * UpdateRequests of other clients.
 */
export class UpdateRequests {
  readonly #leads: () => boolean;
  readonly #namespace: string;
  readonly #collection: Collection;
  readonly #made = new MadeNames();
  readonly #taken: TakenRequests;
  readonly #writer: RequestWriter;
  readonly #stop = new AbortController();

  /** Begins to watch UpdateRequests. */
  constructor({ collections, ...options }: UpdateRequestsOptions) {
    const { signal } = this.#stop;
    this.#leads = options.leads;
    this.#namespace = options.namespace;
    this.#writer = new RequestWriter({ ...options, signal });
    this.#taken = new TakenRequests({
      ...options,
      writer: this.#writer,
      signal,
      stored: () => this.#collection,
    });
    this.#collection = collections.watch(this.#writer.path, ({ object, former }) => {
      if (object !== undefined) this.#found(object, { isElected: false });
      else if (former !== undefined) this.#gone(nameOf(former));
    });
  }

  /** The number of UpdateRequests in the cluster. */
  get stored(): number {
    return this.#collection.objects().length;
  }

  /**
   * Writes or deletes UpdateRequests after the attempt to carry out a request's effects. True when there is one for
   * them afterwards.
   */
  effectsTried(effects: EffectsResult): boolean {
    if (this.#taken.effectsTried(effects)) return true;
    this.#keep(effects);
    return this.#made.ofRequest(identityOf(effects.request)).length > 0;
  }

  #keep(effects: EffectsResult): void {
    const { request, failures, state } = effects;
    if (failures.some(({ nothingToDo }) => nothingToDo === "notStored")) {
      if (state === "given up") this.#forget(request);
      return;
    }
    // A try that ended before its rules says nothing about them: they stay undone.
    const general = failures.find(({ by, nothingToDo }) => by === undefined && nothingToDo === undefined);
    if (general !== undefined) {
      for (const name of this.#made.ofRequest(identityOf(request))) {
        this.#writeStatus(name, this.#statusAfter(name, state, general.message));
      }
    }
    if (request.operation === "DELETE") this.#triggerDeleted(request);
    for (const result of effects.results) this.#triedPolicy(result, effects);
  }

  #triedPolicy(result: PolicyResult, { request, failures, state }: EffectsResult): void {
    const policy = `${result.policy.kind} ${result.policy.key}`;
    const existing = this.#made.of(identityOf(request), policy);
    const failed = failures.filter(({ by, nothingToDo }) =>
      by?.policy === result.policy.key && nothingToDo === undefined
    );
    if (failed.length === 0) {
      const isOpen = failures.some(({ by, nothingToDo }) => by === undefined && nothingToDo === undefined);
      if (existing === undefined || isOpen) return;
      this.#made.delete(existing);
      return this.#later((writer) => writer.remove(existing));
    }
    const rules = [...new Set(failed.flatMap(({ by }) => by?.rule ?? []))];
    if (existing === undefined && this.#made.size >= mostUpdateRequests) return;
    const name = existing ?? `ur-${crypto.randomUUID().slice(0, 8)}`;
    const body = this.#bodyOf(name, result, { request, rules });
    if (body === undefined) return;
    const isHeld = !this.#made.hold(name, rules), status = this.#statusAfter(name, state, failed[0]!.message);
    if (existing === undefined && status !== undefined) {
      this.#made.set(identityOf(request), policy, name);
      return this.#later(async (writer) => {
        // No event would ever say that it is gone, and it would take the room of others.
        if (!await writer.create(name, body, status)) this.#made.delete(name);
      });
    }
    const { rule, ruleContext } = asObject(body["spec"]) ?? {};
    if (!isHeld) {
      this.#later((writer) => writer.writeSpec(name, { rule: rule ?? "", ruleContext: ruleContext ?? [] }));
    }
    this.#writeStatus(name, status);
  }

  /** The status of an UpdateRequest of this replica; `undefined` when it failed too often to stay. */
  #statusAfter(name: string, state: EffectsResult["state"], message: string): OpenStatus | undefined {
    return state === "failing" ? { state: "Pending", message } : this.#made.tries.fail(name, message);
  }

  #writeStatus(name: string, status: OpenStatus | undefined): void {
    if (status === undefined) this.#made.delete(name);
    this.#later((writer) => status === undefined ? writer.remove(name) : writer.writeStatus(name, status));
  }

  /** The UpdateRequest for the rules of a policy that failed: the others must not be carried out again. */
  #bodyOf(
    name: string,
    { policy, rules: results }: PolicyResult,
    { request, rules }: { readonly request: PolicyRequest; readonly rules: readonly string[] },
  ): JsonObject | undefined {
    const type = results.map(({ type }) => type).find(changesOthers);
    if (type === undefined) return undefined;
    const isClassic = policy.language === "classic", namespace = this.#namespace;
    return updateRequest({ name, namespace, policy: policy.key, isClassic, type, rules, request });
  }

  /** Deletes the UpdateRequests of a request whose trigger was deleted while its effects waited. */
  #forget(request: PolicyRequest): void {
    for (const name of this.#made.ofRequest(identityOf(request))) {
      this.#made.delete(name);
      this.#later((writer) => writer.remove(name));
    }
  }

  /** Deletes the UpdateRequests of earlier requests for a trigger that is gone: nothing is left to do for it. */
  #triggerDeleted({ oldObject }: PolicyRequest): void {
    const uid = uidOf(oldObject);
    for (const object of this.#collection.objects()) {
      if (uid === "" || !isMadeByPostern(object) || dig(object, "spec", "resource", "uid") !== uid) continue;
      this.#made.delete(nameOf(object));
      this.#later((writer) => writer.remove(nameOf(object)));
    }
  }

  /** Retries the effects that the former leader left undone. Call it when this replica becomes the leader. */
  elected(): void {
    for (const object of this.#collection.objects()) this.#found(object, { isElected: true });
  }

  /** Deletes Postern's UpdateRequests whose policy no longer exists. */
  policiesChanged(exists: (policy: string) => boolean): void {
    if (!this.#leads()) return;
    for (const object of this.#collection.objects()) {
      const policy = asString(dig(object, "spec", "policy")) ?? "";
      if (isMadeByPostern(object) && !exists(policy)) this.#later((writer) => writer.remove(nameOf(object)));
    }
  }

  /** Ends the watch and waits for writes. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#collection.close();
    await this.#writer.done();
  }

  #found(object: JsonObject, options: { readonly isElected: boolean }): void {
    // The leader also takes up the UpdateRequests that it made and gave up.
    const isGivenUp = dig(object, "status", "state") === "Failed";
    if (isGivenUp || !this.#made.has(nameOf(object))) this.#taken.found(object, options);
  }

  #gone(name: string): void {
    this.#made.delete(name);
    this.#taken.gone(name);
  }

  #later(task: (writer: RequestWriter) => Promise<void>): void {
    this.#writer.later(() => task(this.#writer));
  }
}

/** The identity of a request. A request for an existing object has no uid and takes that of the object. */
function identityOf({ uid, object, oldObject }: PolicyRequest): string {
  return uid !== "" ? uid : uidOf(object ?? oldObject);
}
