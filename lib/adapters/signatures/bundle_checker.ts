import { Worker } from "node:worker_threads";
import { Limit } from "../limit.ts";
import { type BundleAnswer, type BundleQuestion, checkBundle } from "./bundle_check.ts";
import type { BundleReply, BundleTask } from "./bundle_worker.ts";

/** A check that takes longer is given up with its thread. */
const MAX_MILLISECONDS = 10_000;

/**
 * Checks of sigstore bundles, on a thread of their own where the platform has threads, and otherwise on this one, one at
 * a time. The thread starts with the first check and does not keep the process alive.
 */
export class BundleChecker {
  readonly #waiting = new Map<number, (answer: BundleAnswer) => void>();
  readonly #here = new Limit(1);
  #worker: Worker | undefined;
  #threads = true;
  #last = 0;

  /** Checks a bundle; never throws. */
  async check(question: BundleQuestion): Promise<BundleAnswer> {
    const worker = this.#start();
    if (worker === undefined) return await this.#here.run(() => checkBundle(question));
    const task: BundleTask = { id: ++this.#last, question };
    return await new Promise((resolve) => {
      const timer = setTimeout(() => this.#giveUp("the check took too long"), MAX_MILLISECONDS);
      this.#waiting.set(task.id, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(task.id);
        if (this.#waiting.size === 0) this.#worker?.unref();
        resolve(answer);
      });
      worker.ref();
      worker.postMessage(task);
    });
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#giveUp("the check was ended");
    await worker?.terminate();
  }

  #start(): Worker | undefined {
    if (!this.#threads || this.#worker !== undefined) return this.#worker;
    try {
      const worker = new Worker(new URL("./bundle_worker.ts", import.meta.url));
      worker.on("message", ({ id, answer }: BundleReply) => this.#waiting.get(id)?.(answer));
      worker.on("error", (error) => {
        this.#threads = false;
        this.#giveUp(
          `the thread for bundles ended: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
      worker.unref();
      this.#worker = worker;
    } catch {
      // No threads, or no permission to read their code: a bundle for an edge platform has neither.
      this.#threads = false;
    }
    return this.#worker;
  }

  /** Answers all who wait, and forgets the thread; the next check starts another one. */
  #giveUp(why: string): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    for (const resolve of [...this.#waiting.values()]) resolve({ ok: false, why });
  }
}
