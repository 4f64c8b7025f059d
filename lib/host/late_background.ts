import type { BackgroundWork, BackgroundWorkOptions } from "../background/mod.ts";
import type { Snapshot } from "../engine/mod.ts";

/**
 * Background work whose code is loaded when {@link begin} is called: a server of files can answer before. What comes
 * earlier waits.
 */
export class LateBackground {
  readonly #options: BackgroundWorkOptions;
  #work: BackgroundWork | undefined;
  #beginning: Promise<void> | undefined;
  /** At most what comes while the code is loaded. */
  #waiting: ((work: BackgroundWork) => void)[] = [];

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

  /** Takes an allowed request. Returns whether it has work to do, or may have. */
  add(...[request, scope]: Parameters<BackgroundWork["worker"]["add"]>): boolean {
    if (this.#work !== undefined) return this.#work.worker.add(request, scope);
    this.#waiting.push((work) => work.worker.add(request, scope));
    return true;
  }

  /** Takes new policies. */
  loaded(policies: Snapshot): void {
    this.#when((work) => work.loaded(policies));
  }

  /** Takes part in the election of a leader. */
  lead(): void {
    this.#when((work) => work.lead());
  }

  /** Ends the work. */
  async close(): Promise<void> {
    await this.#beginning;
    await this.#work?.close();
  }

  #when(act: (work: BackgroundWork) => void): void {
    if (this.#work === undefined) this.#waiting.push(act);
    else act(this.#work);
  }

  async #load(): Promise<void> {
    const { BackgroundWork } = await import("../background/mod.ts");
    const work = this.#work = await BackgroundWork.prepare(this.#options);
    for (const act of this.#waiting.splice(0)) act(work);
  }
}
