import type { Collection } from "../../ports.ts";
import { restAfter } from "./rest.ts";
import type { ScannedResource } from "./scan_targets.ts";

/** A resource whose objects are listed and watched, and its scanned objects. */
export interface ScannedKindOptions extends Pick<ScannedResource, "resource" | "version"> {
  readonly collection: Collection;
  /** The uids of the scanned objects. */
  readonly scanned: Set<string>;
  readonly signal: AbortSignal;
}

/**
 * The scan of one resource. It lists all objects once, and then follows their changes. A listing during which policies
 * change is not interrupted, and a rest follows it that is as long: otherwise it would never end while policies change
 * all the time.
 */
export class ScannedKind {
  readonly options: ScannedKindOptions;
  /** Resolves when the objects were listed. */
  readonly listed: Promise<void>;
  /** Resolves when they may be listed again. */
  readonly rested: Promise<void>;
  /** Whether the objects must be listed again. */
  isOutdated = false;
  /** When the last policy that matches the kind was gone, by `performance.now()`; `undefined` while there is one. */
  #unmatchedSince: number | undefined;
  #isListed = false;
  #isRested = false;

  constructor(options: ScannedKindOptions) {
    this.options = options;
    const began = performance.now();
    this.listed = options.collection.synced.then(() => {
      this.#isListed = true;
    });
    this.rested = this.listed.then(async () => {
      await restAfter(began, options.signal);
      this.#isRested = true;
    });
  }

  /** Whether a policy matches the kind. */
  get isMatched(): boolean {
    return this.#unmatchedSince === undefined;
  }

  /** Notes that a policy matches the kind, again or still. */
  match(): void {
    this.#unmatchedSince = undefined;
  }

  /**
   * Notes that no policy matches the kind any more. Returns whether it is followed for a while all the same, although
   * nothing is scanned: authors of namespaced policies, who can change their kinds all the time, would otherwise cause
   * a list of the whole cluster with each change.
   */
  linger(milliseconds: number): boolean {
    if (this.options.version !== "") return false;
    const now = performance.now();
    this.#unmatchedSince ??= now;
    return now - this.#unmatchedSince < milliseconds;
  }

  get isListed(): boolean {
    return this.#isListed;
  }

  /** Whether the objects are being listed, or a rest is due because policies changed meanwhile. */
  get isBusy(): boolean {
    return !this.#isListed || this.isOutdated && !this.#isRested;
  }
}
