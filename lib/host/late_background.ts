import type { BackgroundWork, BackgroundWorkOptions, Intake } from "../background/mod.ts";
import type { Snapshot } from "../engine/mod.ts";
import { heapSize } from "../json/mod.ts";

type Addition = Parameters<BackgroundWork["worker"]["add"]>;

/** The most bytes of heap of requests that wait for the code: it is loaded some milliseconds after the port is open. */
const mostWaiting = 8 * 1024 * 1024;

/**
 * Background work whose code is loaded when {@link begin} is called: a server of files can answer before. What comes
 * earlier waits.
 */
export class LateBackground {
  readonly #options: BackgroundWorkOptions;
  #work: BackgroundWork | undefined;
  #beginning: Promise<void> | undefined;
  #waiting: Addition[] = [];
  #waitingBytes = 0;
  /** Whether a request found no room: the log says so once. */
  #isRefusing = false;
  /** The newest policies that wait. */
  #policies: Snapshot | undefined;
  #joinsElection = false;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
  }

  /** Loads the code, and does what waits for it. */
  async begin(): Promise<void> {
    await (this.#beginning ??= this.#load());
  }

  /** Whether this replica does the work that one replica does for all. */
  get leads(): boolean {
    return this.#work?.leads ?? false;
  }

  /** Takes an allowed request that has work to do, or may have. */
  add(...addition: Addition): Intake {
    if (this.#work !== undefined) return this.#work.worker.add(...addition);
    const bytes = heapSize(addition[0].variable);
    if (this.#waitingBytes + bytes > mostWaiting) {
      if (!this.#isRefusing) this.#options.log.write("error", "effects refused: too many requests wait");
      this.#isRefusing = true;
      return "no room";
    }
    this.#waitingBytes += bytes;
    this.#waiting.push(addition);
    return "taken";
  }

  /** Takes new policies. */
  loaded(policies: Snapshot): void {
    if (this.#work === undefined) this.#policies = policies;
    else this.#work.loaded(policies);
  }

  /** Takes part in the election of a leader. */
  joinElection(): void {
    if (this.#work === undefined) this.#joinsElection = true;
    else this.#work.joinElection();
  }

  /** Ends the work. */
  async close(): Promise<void> {
    await this.#beginning;
    await this.#work?.close();
  }

  async #load(): Promise<void> {
    const { BackgroundWork } = await import("../background/mod.ts");
    const work = this.#work = await BackgroundWork.prepare(this.#options);
    if (this.#joinsElection) work.joinElection();
    if (this.#policies !== undefined) work.loaded(this.#policies);
    for (const addition of this.#waiting.splice(0)) work.worker.add(...addition);
  }
}
