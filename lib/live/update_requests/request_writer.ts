import type { JsonObject } from "../../json/mod.ts";
import { collectionPath } from "../../kube/mod.ts";
import type { Answer, ApiCall, Cluster, Log } from "../../ports.ts";
import { repeatedCall } from "../repeated_call.ts";

/** The status of an UpdateRequest whose effects are not done. */
export interface OpenStatus {
  /** `Pending` while the worker tries again. */
  readonly state: "Pending" | "Failed";
  readonly message: string;
  /** The number of failed tries. */
  readonly retryCount?: number;
}

/** The ports of a {@link RequestWriter}, and the namespace of the UpdateRequests. */
export interface RequestWriterOptions {
  readonly cluster: Cluster;
  readonly log: Log;
  readonly namespace: string;
  /** Ends the repetition of calls. */
  readonly signal: AbortSignal;
}

/** Writes UpdateRequests, one write after the other. */
export class RequestWriter {
  readonly #options: RequestWriterOptions;
  #writing: Promise<void> = Promise.resolve();
  #isServed = true;

  constructor(options: RequestWriterOptions) {
    this.#options = options;
  }

  get path(): string {
    const type = { group: "kyverno.io", version: "v2", plural: "updaterequests", namespaced: true };
    return collectionPath(type, this.#options.namespace);
  }

  /** Creates an UpdateRequest with its status; false when the API server does not store it. */
  async create(name: string, body: JsonObject, status: OpenStatus): Promise<boolean> {
    const answer = await this.call({ method: "POST", path: this.path, body });
    const isStored = answer.ok || answer.status === 409;
    if (isStored) await this.writeStatus(name, status);
    else this.#notWritten(answer);
    return isStored;
  }

  /** Replaces fields of an UpdateRequest's spec. */
  async writeSpec(name: string, spec: JsonObject): Promise<void> {
    await this.#patch(`${this.path}/${name}`, { spec });
  }

  /** Replaces fields of an UpdateRequest's status. */
  async writeStatus(name: string, status: OpenStatus): Promise<void> {
    await this.#patch(`${this.path}/${name}/status`, { status: { ...status } });
  }

  /** Deletes an UpdateRequest. */
  async remove(name: string): Promise<void> {
    const answer = await this.call({ method: "DELETE", path: `${this.path}/${name}` });
    if (!answer.ok) this.#notWritten(answer);
  }

  /** Sends a call, again and again while that may help. */
  call(call: ApiCall): Promise<Answer> {
    return repeatedCall(this.#options.cluster, call, this.#options.signal);
  }

  /** Runs a task after the tasks before it. */
  later(task: () => Promise<void>): void {
    this.#writing = this.#writing.then(task).catch((cause) =>
      this.#options.log.write("error", "an UpdateRequest was not written", { reason: String(cause) })
    );
  }

  /** Waits until all tasks have ended. */
  async done(): Promise<void> {
    await this.#writing;
  }

  async #patch(path: string, body: JsonObject): Promise<void> {
    const contentType = "application/merge-patch+json";
    const answer = await this.call({ method: "PATCH", path, body, contentType });
    if (!answer.ok) this.#notWritten(answer);
  }

  /** Logs once that the cluster does not serve the kind, or that the right to write it is missing. */
  #notWritten({ status, message }: { readonly status: number | undefined; readonly message: string }): void {
    if (status === 404 || !this.#isServed) return;
    this.#isServed = status !== 403;
    this.#options.log.write("warn", "an UpdateRequest was not written", { reason: message });
  }
}
