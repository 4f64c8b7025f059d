import type { Worker } from "node:worker_threads";
import { Limit } from "../limit.ts";
import { type BundleAnswer, BundleCheck, type BundleQuery } from "./bundle_check.ts";
import type { BundleReply, BundleTask } from "./bundle_worker.ts";

/** A check that takes longer is given up with its thread. */
const MAX_MILLISECONDS = 10_000;

interface Waiting {
  readonly query: BundleQuery;
  readonly resolve: (answer: BundleAnswer) => void;
}

/**
 * Checks of sigstore bundles, on a thread of their own where the platform has threads, and otherwise on this one, one at
 * a time. The thread starts with the first check and does not keep the process alive.
 */
export class BundleChecker {
  readonly #waiting = new Map<number, Waiting>();
  readonly #turns = new Limit(1);
  readonly #here = new BundleCheck();
  #worker: Worker | undefined;
  /** The code of the thread; `undefined` when there are no threads. */
  #file: URL | undefined;
  #last = 0;

  constructor(file: URL | undefined = threadFile(import.meta.url, globalThis.Deno?.mainModule)) {
    this.#file = file;
  }

  /** Checks a bundle; never throws. */
  async check(query: BundleQuery): Promise<BundleAnswer> {
    const worker = this.#start();
    if (worker === undefined) return await this.#checkHere(query);
    const task: BundleTask = { id: ++this.#last, query };
    return await new Promise((resolve) => {
      const timer = setTimeout(() => this.#giveUp("the check took too long"), MAX_MILLISECONDS);
      const finish = (answer: BundleAnswer): void => {
        clearTimeout(timer);
        this.#waiting.delete(task.id);
        if (this.#waiting.size === 0) this.#worker?.unref();
        resolve(answer);
      };
      this.#waiting.set(task.id, { query, resolve: finish });
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
    if (this.#file === undefined || this.#worker !== undefined) return this.#worker;
    try {
      // Not imported: platforms without threads do not have the module.
      const { Worker } = globalThis.process.getBuiltinModule("node:worker_threads");
      const worker = new Worker(this.#file);
      let answered = false;
      worker.on("message", ({ id, answer }: BundleReply) => {
        answered = true;
        this.#waiting.get(id)?.resolve(answer);
      });
      worker.on("error", (error) => {
        this.#file = undefined;
        // A thread that never began, as where its file is not there, says nothing about the bundle.
        if (answered) {
          this.#giveUp(`the thread for bundles ended: ${error instanceof Error ? error.message : error}`);
        } else this.#takeBack();
      });
      worker.unref();
      this.#worker = worker;
    } catch {
      // No threads, or no permission to read their code.
      this.#file = undefined;
    }
    return this.#worker;
  }

  async #checkHere(query: BundleQuery): Promise<BundleAnswer> {
    return await this.#turns.run(() => this.#here.run(query));
  }

  /** Does here what a thread should have done. */
  #takeBack(): void {
    this.#worker = undefined;
    for (const { query, resolve } of [...this.#waiting.values()]) {
      void this.#checkHere(query).then(resolve);
    }
  }

  /** Answers all who wait, and forgets the thread. */
  #giveUp(why: string): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    for (const { resolve } of [...this.#waiting.values()]) resolve({ ok: false, why });
  }
}

/**
 * Where the code of the thread is: beside this file, or beside the program that this file was bundled into, where the image
 * has it (Dockerfile). A platform without files has none.
 */
export function threadFile(here: string | undefined, program: string | undefined): URL | undefined {
  if (here?.endsWith("/bundle_checker.ts") === true) return new URL("./bundle_worker.ts", here);
  return program === undefined ? undefined : new URL("./bundle_worker.cjs", program);
}
