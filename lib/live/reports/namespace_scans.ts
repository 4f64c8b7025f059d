import { restAfter } from "./rest.ts";

/** The scan and the end of {@link NamespaceScans}. */
export interface NamespaceScansOptions {
  /** Scans all objects of a namespace. */
  readonly scan: (namespace: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Scans namespaces again when their policies or labels change: one after the other, with a rest after each that is as
 * long as the scan. A namespace that changes all the time takes its turn behind the others.
 */
export class NamespaceScans {
  readonly #options: NamespaceScansOptions;
  readonly #waiting = new Set<string>();
  #running: Promise<void> | undefined;

  constructor(options: NamespaceScansOptions) {
    this.#options = options;
  }

  /** Scans a namespace when its turn has come. */
  request(namespace: string): void {
    this.#waiting.add(namespace);
    this.#running ??= this.#run();
  }

  /** Resolves when no namespace waits. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    const { scan, signal } = this.#options;
    // A namespace that is added meanwhile comes last.
    for (const namespace of this.#waiting) {
      if (signal.aborted) break;
      this.#waiting.delete(namespace);
      const began = performance.now();
      await scan(namespace);
      await restAfter(began, signal);
    }
    this.#running = undefined;
  }
}
