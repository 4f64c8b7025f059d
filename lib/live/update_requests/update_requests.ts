import {
  existingRequest,
  type Intake,
  isOver,
  type JobScope,
  type WorkOutcome,
} from "../../background/mod.ts";
import type { PolicyRequest, PolicyResult } from "../../engine/mod.ts";
import { asString, dig, isObject, type JsonObject } from "../../json/mod.ts";
import { collectionPath, labelsOf, nameOf, objectPath, uidOf } from "../../kube/mod.ts";
import type { Answer, ApiCall, Cluster, Collection, Collections, Log } from "../../ports.ts";
import { pause } from "../../pause.ts";
import { changesOthers } from "../../rules/mod.ts";
import { repeatedCall } from "../repeated_call.ts";
import { MadeNames } from "./made_names.ts";
import { posternLabel, updateRequest, type WantedEffect, wantedEffects } from "./update_request.ts";

/** The ports of {@link UpdateRequests}. */
export interface UpdateRequestsOptions {
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly log: Log;
  readonly leads: () => boolean;
  /** The namespace of the UpdateRequests. */
  readonly namespace: string;
  /** Carries out a rule's effects for an object, if the worker takes them. */
  readonly work: (request: PolicyRequest, scope: Pick<JobScope, "only" | "ended">) => Intake;
  /** Waits for some milliseconds, or until the signal aborts; tests replace it. */
  readonly wait?: typeof pause;
}

/**
 * The most UpdateRequests of Postern. Kyverno parity: Kyverno has the same limit. Pinned by "no more than 1,000
 * UpdateRequests are kept at a time".
 */
const most = 1_000;

/** The most milliseconds until an UpdateRequest is carried out again for which the worker had no room. */
const roomAgain = 30_000;

/** The status of an UpdateRequest whose effects are not done. */
interface OpenStatus {
  /** `Pending` while the worker tries again. */
  readonly state: "Pending" | "Failed";
  readonly message: string;
}

/**
 * Keeps an UpdateRequest object for the effects that fail, with their state, and deletes it when they are done. Users
 * see which effects are missing, and the next leader retries them. The leader also carries out the UpdateRequests of
 * other clients.
 */
export class UpdateRequests {
  readonly #options: UpdateRequestsOptions;
  readonly #collection: Collection;
  readonly #made = new MadeNames();
  /** The names of UpdateRequests, by the uid of the request that was made from each. */
  readonly #taken = new Map<string, string>();
  /** The names of UpdateRequests that wait until the worker has room again. */
  readonly #waiting = new Set<string>();
  #isWaiting = false;
  #writing: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  #isServed = true;

  /** Begins to watch UpdateRequests. */
  constructor(options: UpdateRequestsOptions) {
    this.#options = options;
    this.#collection = options.collections.watch(this.#path(), ({ object, former }) => {
      if (object !== undefined && former === undefined) this.#found(object);
    });
  }

  /** The number of UpdateRequests in the cluster. */
  get stored(): number {
    return this.#collection.objects().length;
  }

  /** Writes or deletes UpdateRequests after the attempt to carry out a request's effects. */
  worked(outcome: WorkOutcome): void {
    const { request, failures, state } = outcome;
    const name = this.#taken.get(request.uid);
    if (name !== undefined) return this.#writeOutcome(name, outcome);
    if (failures.some(({ moot }) => moot === "unfounded")) {
      if (state === "given up") this.#forget(request);
      return;
    }
    if (request.operation === "DELETE") this.#triggerDeleted(request);
    for (const result of outcome.results) {
      const policy = `${result.policy.kind} ${result.policy.key}`;
      const existing = this.#made.of(identityOf(request), policy);
      const failed = failures.filter(({ by, moot }) =>
        by?.policy === result.policy.key && moot === undefined
      );
      if (state === "done" || failed.length === 0) {
        if (existing === undefined) continue;
        this.#made.delete(existing);
        this.#later(() => this.#remove(existing));
        continue;
      }
      const status = openStatus(state, failed[0]!.message);
      if (existing !== undefined) this.#later(() => this.#writeStatus(existing, status));
      else if (this.#made.size < most) {
        const made = `ur-${crypto.randomUUID().slice(0, 8)}`;
        this.#made.set(identityOf(request), policy, made);
        this.#later(() => this.#write(made, result, { request, status }));
      }
    }
  }

  /** Deletes the UpdateRequests of a request whose trigger was deleted while its effects waited. */
  #forget(request: PolicyRequest): void {
    for (const name of this.#made.ofRequest(identityOf(request))) {
      this.#made.delete(name);
      this.#later(() => this.#remove(name));
    }
  }

  /** Deletes the UpdateRequests of earlier requests for a trigger that is gone: nothing is left to do for it. */
  #triggerDeleted({ oldObject }: PolicyRequest): void {
    const uid = uidOf(oldObject);
    for (const object of this.#collection.objects()) {
      if (uid === "" || !isMadeByPostern(object) || dig(object, "spec", "resource", "uid") !== uid) continue;
      this.#made.delete(nameOf(object));
      this.#later(() => this.#remove(nameOf(object)));
    }
  }

  /** Retries the effects that the former leader left undone. Call it when this replica becomes the leader. */
  elected(): void {
    for (const object of this.#collection.objects()) this.#found(object);
  }

  /** Deletes Postern's UpdateRequests whose policy no longer exists. */
  policiesChanged(exists: (policy: string) => boolean): void {
    if (!this.#options.leads()) return;
    for (const object of this.#collection.objects()) {
      const policy = asString(dig(object, "spec", "policy")) ?? "";
      if (isMadeByPostern(object) && !exists(policy)) this.#later(() => this.#remove(nameOf(object)));
    }
  }

  /** Ends the watch and waits for writes. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#collection.close();
    await this.#writing;
  }

  #found(object: JsonObject): void {
    const name = nameOf(object);
    if (!this.#options.leads() || this.#made.has(name)) return;
    // A finished UpdateRequest of another client stays until somebody deletes it.
    if (
      !isMadeByPostern(object) &&
      ["Completed", "Failed"].includes(stateOf(object))
    ) {
      return;
    }
    for (const wanted of wantedEffects(object)) this.#later(() => this.#carryOut(object, wanted));
  }

  async #carryOut(object: JsonObject, { policy, rule, trigger }: WantedEffect): Promise<void> {
    const name = nameOf(object);
    const { cluster, work } = this.#options;
    const apiVersion = asString(trigger["apiVersion"]) ?? "", kind = asString(trigger["kind"]) ?? "";
    const resource = await cluster.resource(apiVersion, kind);
    if (resource === undefined) return this.#fail(name, `the cluster does not serve ${apiVersion}/${kind}`);
    const path = objectPath(resource, {
      namespace: asString(trigger["namespace"]) ?? "",
      name: asString(trigger["name"]) ?? "",
    });
    const answer = await cluster.call({ method: "GET", path });
    if (answer.status === 404 && isMadeByPostern(object)) return this.#remove(name);
    if (!answer.ok) return this.#fail(name, `the trigger cannot be read: ${answer.message}`);
    if (!isObject(answer.body)) return;
    const uid = crypto.randomUUID();
    this.#taken.set(uid, name);
    const request = { ...existingRequest({ ...answer.body, apiVersion, kind }), uid };
    const ended: JobScope["ended"] = (end) => void (end === "refused" && this.#withoutRoom(uid, name));
    const intake = work(request, { only: { policy, rule }, ended });
    if (intake === "taken") return;
    if (intake === "no room") {
      void this.#withoutRoom(uid, name);
      if (stateOf(object) === "Pending") return;
      return await this.#writeStatus(name, { state: "Pending", message: "it waits for other requests" });
    }
    this.#taken.delete(uid);
    await this.#fail(name, `no rule ${rule} of policy ${policy} is about the trigger`);
  }

  /**
   * Carries out an UpdateRequest later, when other requests have the worker's room. The first that waits looks through
   * the stored ones for all that wait then and have no other effect in progress.
   */
  async #withoutRoom(uid: string, name: string): Promise<void> {
    this.#taken.delete(uid);
    this.#waiting.add(name);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    while (this.#waiting.size > 0) {
      if (!await (this.#options.wait ?? pause)(roomAgain, this.#stop.signal)) break;
      const again = this.#waiting.difference(new Set(this.#taken.values()));
      for (const name of again) this.#waiting.delete(name);
      for (const object of this.#collection.objects()) if (again.has(nameOf(object))) this.#found(object);
    }
    this.#isWaiting = false;
  }

  #writeOutcome(name: string, outcome: WorkOutcome): void {
    const { request, state, failures } = outcome;
    if (state !== "failing") this.#taken.delete(request.uid);
    if (isOver(outcome)) {
      // Its other effects wait or are in progress, and the last of them removes it.
      if (this.#waiting.has(name) || [...this.#taken.values()].includes(name)) return;
      return this.#later(() => this.#remove(name));
    }
    this.#later(() => this.#writeStatus(name, openStatus(state, failures[0]?.message ?? "")));
  }

  async #fail(name: string, message: string): Promise<void> {
    await this.#writeStatus(name, { state: "Failed", message });
  }

  async #write(
    name: string,
    { policy, rules }: PolicyResult,
    { request, status }: { readonly request: PolicyRequest; readonly status: OpenStatus },
  ): Promise<void> {
    const type = rules.map(({ type }) => type).find(changesOthers);
    if (type === undefined) return;
    const body = updateRequest({
      name,
      namespace: this.#options.namespace,
      policy: policy.key,
      isClassic: policy.language === "classic",
      type,
      rules: [...new Set(rules.map(({ rule }) => rule))],
      request,
    });
    const answer = await this.#call({ method: "POST", path: this.#path(), body });
    if (!answer.ok && answer.status !== 409) return this.#notWritten(answer);
    await this.#writeStatus(name, status);
  }

  async #writeStatus(name: string, status: OpenStatus): Promise<void> {
    const answer = await this.#call({
      method: "PATCH",
      path: `${this.#path()}/${name}/status`,
      body: { status: { ...status } },
      contentType: "application/merge-patch+json",
    });
    if (!answer.ok) this.#notWritten(answer);
  }

  async #remove(name: string): Promise<void> {
    const answer = await this.#call({ method: "DELETE", path: `${this.#path()}/${name}` });
    if (!answer.ok) this.#notWritten(answer);
  }

  /** Logs once that the cluster does not serve the kind, or that the right to write it is missing. */
  #notWritten({ status, message }: { readonly status: number | undefined; readonly message: string }): void {
    if (status === 404 || !this.#isServed) return;
    this.#isServed = status !== 403;
    this.#options.log.write("warn", "an UpdateRequest was not written", { reason: message });
  }

  #call(call: ApiCall): Promise<Answer> {
    return repeatedCall(this.#options.cluster, call, this.#stop.signal);
  }

  #path(): string {
    const { namespace } = this.#options;
    return collectionPath(
      { group: "kyverno.io", version: "v2", plural: "updaterequests", namespaced: true },
      namespace,
    );
  }

  /** Runs a write after the writes before it. */
  #later(task: () => Promise<void>): void {
    this.#writing = this.#writing.then(task).catch((cause) =>
      this.#options.log.write("error", "an UpdateRequest was not written", { reason: String(cause) })
    );
  }
}

function stateOf(object: JsonObject): string {
  return asString(dig(object, "status", "state")) ?? "";
}

function openStatus(state: WorkOutcome["state"], message: string): OpenStatus {
  return { state: state === "failing" ? "Pending" : "Failed", message };
}

/** The identity of a request. A request for an existing object has no uid and takes that of the object. */
function identityOf({ uid, object, oldObject }: PolicyRequest): string {
  return uid !== "" ? uid : uidOf(object ?? oldObject);
}

function isMadeByPostern(object: JsonObject): boolean {
  const [[name, value]] = Object.entries(posternLabel) as [[string, string]];
  return labelsOf(object)[name] === value;
}
