import type { Worker } from "node:worker_threads";
import { TaskTurns } from "../../adapters/mod.ts";
import { type BundleAnswer, BundleCheck, type BundleQuery } from "./bundle_check.ts";
import type { BundleReply, BundleTask, BundleWorkerReady } from "./bundle_worker.ts";

/** The times of a {@link BundleChecker}, in milliseconds. */
export interface BundleCheckTimes {
  /** A check that takes longer fails, and its thread is terminated. It counts from when the thread is ready. */
  readonly check: number;
  /** As long may the thread take to load its code, which on a busy machine is more than a check takes. */
  readonly start: number;
}

interface Waiting {
  readonly query: BundleQuery;
  readonly resolve: (answer: BundleAnswer) => void;
  /** Begins the time of the check again, with another length. */
  readonly allow: (milliseconds: number) => void;
}

/**
 * Checks sigstore bundles on a separate thread; on platforms without threads, on the current thread and one at a time.
 * The thread starts with the first check. It does not keep the process alive while no check runs.
 */
export class BundleChecker {
  readonly #waiting = new Map<number, Waiting>();
  readonly #turns = new TaskTurns(1);
  readonly #here = new BundleCheck();
  #worker: Worker | undefined;
  /** The code of the thread; `undefined` when there are no threads. */
  #file: URL | undefined;
  #isReady = false;
  #last = 0;
  readonly #times: BundleCheckTimes;

  constructor(
    file: URL | undefined = threadFile(import.meta.url, globalThis.Deno?.mainModule),
    times: BundleCheckTimes = { check: 10_000, start: 60_000 },
  ) {
    this.#file = file;
    this.#times = times;
  }

  /** Checks a bundle; never throws. */
  async check(query: BundleQuery): Promise<BundleAnswer> {
    const worker = this.#start();
    if (worker === undefined) return await this.#checkHere(query);
    const task: BundleTask = { id: ++this.#last, query };
    return await new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const allow = (milliseconds: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => this.#giveUp("the check took too long"), milliseconds);
      };
      allow(this.#isReady ? this.#times.check : this.#times.start);
      const finish = (answer: BundleAnswer): void => {
        clearTimeout(timer);
        this.#waiting.delete(task.id);
        if (this.#waiting.size === 0) this.#worker?.unref();
        resolve(answer);
      };
      this.#waiting.set(task.id, { query, resolve: finish, allow });
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
      // An import would fail on platforms without threads, which lack the module.
      const { Worker } = globalThis.process.getBuiltinModule("node:worker_threads");
      const worker = new Worker(this.#file);
      let answered = false;
      this.#isReady = false;
      worker.on("message", (message: BundleReply | BundleWorkerReady) => {
        if ("ready" in message) {
          if (this.#worker === worker) this.#becomeReady();
          return;
        }
        answered = true;
        this.#waiting.get(message.id)?.resolve(message.answer);
      });
      worker.on("error", (error) => {
        this.#file = undefined;
        // A thread that never started, for instance because its file is missing, proves nothing about the bundle.
        if (answered) {
          this.#giveUp(`the thread for bundles ended: ${error instanceof Error ? error.message : error}`);
        } else this.#takeBack();
      });
      worker.unref();
      this.#worker = worker;
    } catch {
      // The platform has no threads, or the process may not read their code.
      this.#file = undefined;
    }
    return this.#worker;
  }

  /** The thread has loaded its code: the time of the checks that wait for it begins. */
  #becomeReady(): void {
    this.#isReady = true;
    for (const { allow } of this.#waiting.values()) allow(this.#times.check);
  }

  async #checkHere(query: BundleQuery): Promise<BundleAnswer> {
    return await this.#turns.run(() => this.#here.run(query));
  }

  /** Runs the checks that wait for the thread on the current thread. */
  #takeBack(): void {
    this.#worker = undefined;
    for (const { query, resolve } of [...this.#waiting.values()]) {
      void this.#checkHere(query).then(resolve);
    }
  }

  /** Terminates the thread and fails all checks that wait for it. */
  #giveUp(why: string): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    for (const { resolve } of [...this.#waiting.values()]) resolve({ ok: false, why });
  }
}

/**
 * Returns the file with the thread's code: beside this file, or beside the program into which this file was bundled,
 * where the Dockerfile puts it; `undefined` on a platform without files.
 */
export function threadFile(here: string | undefined, program: string | undefined): URL | undefined {
  if (here?.endsWith("/bundle_checker.ts") === true) return new URL("./bundle_worker.ts", here);
  return program === undefined ? undefined : new URL("./bundle_worker.js", program);
}
