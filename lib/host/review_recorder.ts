import { join } from "node:path";
import { Fault } from "../json/mod.ts";
import { pause } from "../pause.ts";
import type { Clock, Log } from "../ports.ts";
import { type AnsweredReview, type Metrics, reviewRecord, type ReviewRecorder } from "../server/mod.ts";

/** The folder of recorded reviews, and its bounds. */
export interface RecorderOptions {
  readonly folder: string;
  /** The most records; the oldest are deleted for new ones. */
  readonly maxReviews: number;
  /** The most bytes of all records. */
  readonly maxBytes: number;
}

/** The options and ports of {@link ReviewFiles}. */
export interface ReviewFilesOptions extends RecorderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "recorded">;
}

/** The bounds of the queue of reviews to write: reviews, their bytes of heap together, and those of each. */
const waitingReviews = 256, waitingBytes = 8 << 20, longestReview = 4 << 20;

/** Milliseconds between two records: a busy server records a sample of its reviews instead of being slowed down. */
const betweenRecords = 10;

/**
 * The most bytes of a review that is written with indentation, which can make deeply nested JSON a thousand times
 * longer.
 */
const mostIndented = 16 << 10;

const recordName = /^\d{8}T\d{9}Z-\d{6}\.json$/;

/**
 * Records reviews as files of one folder, which only the process's user can read. Answers do not wait for it: reviews
 * queue up to a bound, others are dropped and counted, and files are written one at a time with pauses. The oldest
 * records are deleted for new ones, also those of an earlier process.
 */
export class ReviewFiles implements ReviewRecorder {
  readonly #options: ReviewFilesOptions;
  readonly #waiting: AnsweredReview[] = [];
  /** The records in the folder, oldest first. */
  readonly #kept: { readonly name: string; readonly bytes: number }[];
  #waitingBytes = 0;
  #keptBytes: number;
  #sequence = 0;
  #running: Promise<void> | undefined;
  #isClosing = false;
  /** The kind of the last record's error: each kind is logged once, not for each review. */
  #failure: string | undefined;

  private constructor(options: ReviewFilesOptions, kept: readonly { name: string; bytes: number }[]) {
    this.#options = options;
    this.#kept = [...kept];
    this.#keptBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Creates the folder if it does not exist; a fault says why nothing can be written to it. */
  static async open(options: ReviewFilesOptions): Promise<ReviewFiles | Fault> {
    const { folder } = options;
    try {
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      const kept: { name: string; bytes: number }[] = [];
      for await (const { name } of Deno.readDir(folder)) {
        if (recordName.test(name)) kept.push({ name, bytes: (await Deno.stat(join(folder, name))).size });
      }
      kept.sort((left, right) => left.name < right.name ? -1 : 1);
      const files = new ReviewFiles(options, kept);
      await files.#write(".postern", "");
      await Deno.remove(join(folder, ".postern"));
      return files;
    } catch (cause) {
      return new Fault(`--record ${folder}: ${messageOf(cause)}`);
    }
  }

  add(review: AnsweredReview): void {
    const { bytes } = review;
    const isFull = this.#waiting.length >= waitingReviews || this.#waitingBytes + bytes > waitingBytes;
    if (this.#isClosing || bytes > longestReview || isFull) {
      return this.#options.metrics.recorded("dropped");
    }
    this.#waiting.push(review);
    this.#waitingBytes += bytes;
    this.#running ??= this.#run();
  }

  /** Writes the waiting records, and accepts no more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      // The answer goes first.
      await pause(this.#isClosing ? 0 : betweenRecords);
      const review = this.#waiting.shift();
      if (review === undefined) break;
      this.#waitingBytes -= review.bytes;
      await this.#record(review);
    }
    this.#running = undefined;
  }

  async #record(review: AnsweredReview): Promise<void> {
    const { clock, log, metrics } = this.#options;
    const now = clock.now();
    const name = `${new Date(now).toISOString().replace(/[-:.]/g, "")}-${
      (this.#sequence++ % 1_000_000).toString().padStart(6, "0")
    }.json`;
    try {
      const bytes = await this.#write(name, `${textOf(review, now)}\n`);
      this.#kept.push({ name, bytes });
      this.#keptBytes += bytes;
      await this.#trim();
      metrics.recorded("written");
      this.#failure = undefined;
    } catch (cause) {
      metrics.recorded("dropped");
      const kind = cause instanceof Error ? cause.name : "";
      if (kind === this.#failure) return;
      this.#failure = kind;
      log.write("error", "reviews are not recorded", {
        folder: this.#options.folder,
        cause: messageOf(cause),
      });
    }
  }

  /** Writes a file that becomes visible when it is complete. Returns its length in bytes. */
  async #write(name: string, text: string): Promise<number> {
    const path = join(this.#options.folder, name), hidden = join(this.#options.folder, `.${name}`);
    const bytes = new TextEncoder().encode(text);
    try {
      await Deno.writeFile(hidden, bytes, { mode: 0o600 });
      await Deno.rename(hidden, path);
    } catch (cause) {
      await Deno.remove(hidden).catch(() => {});
      throw cause;
    }
    return bytes.length;
  }

  async #trim(): Promise<void> {
    const { folder, maxReviews, maxBytes } = this.#options;
    while (this.#kept.length > maxReviews || this.#keptBytes > maxBytes) {
      const oldest = this.#kept.shift();
      if (oldest === undefined) return;
      this.#keptBytes -= oldest.bytes;
      await Deno.remove(join(folder, oldest.name)).catch((cause) => {
        // Somebody deleted it already.
        if (!(cause instanceof Deno.errors.NotFound)) throw cause;
      });
    }
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function textOf(review: AnsweredReview, now: number): string {
  return JSON.stringify(reviewRecord(review, now), null, review.bytes > mostIndented ? 0 : 2);
}
