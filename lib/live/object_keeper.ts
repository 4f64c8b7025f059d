import { asList, asString, dig, isObject, type Json, type JsonObject, textField } from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import type { Answer, Cluster, Collection, Collections, Log, LogFields, Scheduler } from "../ports.ts";
import { eightAtOnce } from "./eight_at_once.ts";
import { isRetryable, repeatedCall } from "./repeated_call.ts";
import { areAlike, holds } from "./wanted_fields.ts";

/** The ports of an {@link ObjectKeeper}, and the objects that it keeps. */
export interface ObjectKeeperOptions {
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly log: Log;
  /** Whether this replica may write: only the leader may. */
  readonly leads: () => boolean;
  /** Lets requests have their turns while thousands of objects are compared; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
  /** The collections of the kept kinds, by kind. All of them are cluster-wide. */
  readonly kinds: Readonly<Record<string, string>>;
  /** The name of the kept objects in log lines: `webhook configuration`. */
  readonly about: string;
  /**
   * Whether Postern made an object: it deletes such an object when it is no longer wanted. Without this function
   * nothing is deleted.
   */
  readonly isMadeByPostern?: (object: JsonObject) => boolean;
  /**
   * Whether the installation is being removed: objects that somebody deleted are then not written again. Without it
   * they are written again at once.
   */
  readonly removal?: {
    readonly isUnderWay: () => Promise<boolean>;
    /** Runs a task after some milliseconds. */
    readonly after: (milliseconds: number, task: () => void) => void;
  };
  /**
   * Returns the object to write instead of one that the API server refuses, and the fields for the log that say what it
   * leaves out; `undefined` when there is none.
   */
  readonly fallback?: (
    object: JsonObject,
    reason: string,
  ) => { readonly object: JsonObject; readonly fields: LogFields } | undefined;
  /** Called for every changed object of the kinds, also for objects that Postern does not keep. */
  readonly noticed?: (object: JsonObject) => void;
  /** Milliseconds after which the keeper tries again what failed: two seconds. */
  readonly retryDelay?: number;
}

/** The result of writing an object: the cluster had it already, has it now, or refused it. */
export type Kept =
  | { readonly state: "unchanged" | "written" }
  | {
    readonly state: "failed";
    readonly reason: string;
    /** Whether another try may succeed. */
    readonly retryable: boolean;
    /** The object that was written instead, if there is one. */
    readonly instead?: JsonObject;
  };

const unchanged: Kept = { state: "unchanged" };

/**
 * Milliseconds until a deleted object is written again. A user who removes the installation deletes its objects one
 * after another, perhaps the Deployment last.
 */
const restoreAfter = 3_000;

/**
 * Keeps objects in their wanted form: writes differences, and restores objects that somebody else changed or deleted.
 * It ignores fields that Postern does not set, such as the API server's defaults.
 */
export class ObjectKeeper {
  readonly #options: ObjectKeeperOptions;
  readonly #watched: readonly Collection[];
  #wanted: readonly JsonObject[] = [];
  /** The paths of objects that existed when they were read or written last. */
  readonly #existing = new Set<string>();
  /** The paths of objects that somebody deleted a moment ago. */
  readonly #deleted = new Set<string>();
  /** The objects that are not as wanted although they were written, by their paths: the API server adds to them. */
  readonly #completed = new Map<string, { readonly wanted: JsonObject; readonly stored: Json }>();
  /** Why objects could not be written, by their paths. The log has each reason once, until the object is written. */
  readonly #failures = new Map<string, string>();
  #writing: Promise<readonly Kept[]> = Promise.resolve([]);
  /** Whether a round is due that began after no change yet: it restores what all changes until then did. */
  #isDue = false;
  /** The keys of the wanted objects. */
  #keys: ReadonlySet<string> = new Set();
  readonly #stop = new AbortController();
  #again: ReturnType<typeof setTimeout> | undefined;

  /** Begins to watch all objects of the kinds. */
  constructor(options: ObjectKeeperOptions) {
    this.#options = options;
    this.#watched = Object.values(options.kinds).map((path) =>
      options.collections.watch(path, ({ object, former }) => this.#noticed(object ?? former))
    );
  }

  /** All objects of the kinds, also those of others. */
  objects(): JsonObject[] {
    return this.#watched.flatMap((collection) => collection.objects());
  }

  /** Resolves when the present objects are listed. */
  async ready(): Promise<void> {
    await Promise.all(this.#watched.map(({ synced }) => synced));
  }

  /** Writes these objects and no longer the former ones; returns the result for each. */
  keep(wanted: readonly JsonObject[]): Promise<readonly Kept[]> {
    this.#wanted = wanted;
    this.#keys = new Set(wanted.map(keyOf));
    this.#forgetOthers();
    return this.#write();
  }

  /** Forgets the objects that are no longer wanted: policies come and go, with names that do not come again. */
  #forgetOthers(): void {
    const paths = new Set(this.#wanted.map((each) => this.#pathOf(each)));
    for (const kept of [this.#existing, this.#completed, this.#failures]) {
      for (const path of kept.keys()) if (!paths.has(path)) kept.delete(path);
    }
  }

  /** Deletes every kept object. */
  async remove(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = [];
    this.#keys = new Set();
    await this.#writing;
    for (const each of wanted) {
      const call = { method: "DELETE", path: this.#pathOf(each) } as const;
      await repeatedCall(this.#options.cluster, call, this.#stop.signal);
    }
  }

  /** Ends the watches. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#again);
    await Promise.all(this.#watched.map((collection) => collection.close()));
  }

  #noticed(object: JsonObject | undefined): void {
    if (object !== undefined) this.#options.noticed?.(object);
    if (object !== undefined && this.#keys.has(keyOf(object)) && !this.#isDue) void this.#restore();
  }

  #write(): Promise<readonly Kept[]> {
    this.#isDue = true;
    this.#writing = this.#writing.then(() => {
      this.#isDue = false;
      return this.#writeAll(this.#wanted);
    });
    return this.#writing;
  }

  async #writeAll(wanted: readonly JsonObject[]): Promise<readonly Kept[]> {
    const { leads, scheduler } = this.#options;
    if (!leads()) return wanted.map(() => unchanged);
    // The watch reports a change that happens after this read, and the keeper writes then.
    const watched = new Map(this.objects().map((each) => [keyOf(each), each]));
    // Writes may take long, as when this process is stopped for a while: another replica leads then.
    const writeOne = async (each: JsonObject): Promise<Kept> =>
      leads() ? await this.#writeOne(each, watched.get(keyOf(each))) : unchanged;
    const kept = await eightAtOnce(wanted, writeOne, scheduler);
    if (leads() && !await this.#deleteOthers(wanted)) this.#tryAgain();
    return kept;
  }

  /** Writes the wanted objects without a caller, and tries again itself after a failure. */
  async #restore(): Promise<void> {
    const kept = await this.#write();
    if (kept.some((each) => each.state === "failed" && each.retryable)) this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.#restore(), this.#options.retryDelay ?? 2_000);
  }

  /** Returns whether all unwanted objects are gone, as far as the API server permits it. */
  async #deleteOthers(wanted: readonly JsonObject[]): Promise<boolean> {
    const { isMadeByPostern, cluster } = this.#options;
    if (isMadeByPostern === undefined) return true;
    const kept = new Set(wanted.map(keyOf));
    const others = this.objects().filter((each) => isMadeByPostern(each) && !kept.has(keyOf(each)));
    const areGone = await eightAtOnce(others, async (each) => {
      const answer = await cluster.call({ method: "DELETE", path: this.#pathOf(each) });
      return answer.ok || !isRetryable(answer.status);
    });
    return areGone.every((isGone) => isGone);
  }

  async #writeOne(wanted: JsonObject, watched: JsonObject | undefined): Promise<Kept> {
    const { fallback, log, about } = this.#options;
    const kept = await this.#writeWhole(wanted, watched), path = this.#pathOf(wanted);
    if (kept.state !== "failed") {
      this.#failures.delete(path);
      return kept;
    }
    const { reason } = kept, replacement = fallback?.(wanted, reason);
    const isLogged = this.#failures.get(path) === reason;
    this.#failures.set(path, reason);
    const fields = { name: nameOf(wanted), reason, ...replacement?.fields };
    log.write(isLogged ? "debug" : "error", `${about} not written`, fields);
    if (replacement === undefined) return kept;
    const replaced = await this.#writeWhole(replacement.object, watched);
    return replaced.state === "failed" ? kept : { ...kept, instead: replacement.object };
  }

  async #writeWhole(wanted: JsonObject, watched: JsonObject | undefined): Promise<Kept> {
    const { cluster, log } = this.#options;
    const path = this.#pathOf(wanted);
    if (watched !== undefined) this.#existing.add(path);
    if (watched !== undefined && holds(watched, wanted)) return unchanged;
    const present = await cluster.call({ method: "GET", path });
    if (!present.ok && present.status !== 404) return failed(present);
    if (present.ok && (holds(present.body, wanted) || this.#isCompleted(path, present.body, wanted))) {
      return unchanged;
    }
    if (!present.ok && await this.#staysDeleted(path)) return unchanged;
    const written = present.ok
      ? await cluster.call({ method: "PUT", path, body: merged(present.body, wanted) })
      : await cluster.call({
        method: "POST",
        path: this.#collectionOf(wanted),
        body: wanted,
      });
    if (!written.ok) return failed(written);
    this.#existing.add(path);
    if (holds(written.body, wanted)) this.#completed.delete(path);
    else this.#completed.set(path, { wanted, stored: written.body });
    log.write("info", `${this.#options.about} written`, {
      name: nameOf(wanted),
      ...(wanted["webhooks"] !== undefined && {
        webhooks: asList(wanted["webhooks"]).map((webhook) => textField(webhook, "name")),
      }),
    });
    return { state: "written" };
  }

  /** Whether an object is as the API server stored it when it was last written in the same form. */
  #isCompleted(path: string, present: Json, wanted: JsonObject): boolean {
    const last = this.#completed.get(path);
    return last !== undefined && areAlike(last.wanted, wanted, wanted) &&
      areAlike(last.stored, present, wanted);
  }

  /** Whether an object that does not exist must not be written: the installation may be in removal. */
  async #staysDeleted(path: string): Promise<boolean> {
    const { removal } = this.#options;
    if (removal === undefined) return false;
    if (this.#deleted.has(path)) return true;
    if (!this.#existing.delete(path)) return await removal.isUnderWay();
    this.#deleted.add(path);
    removal.after(restoreAfter, () => {
      this.#deleted.delete(path);
      void this.#restore();
    });
    return true;
  }

  #collectionOf(object: JsonObject): string {
    return this.#options.kinds[asString(object["kind"]) ?? ""] ?? "";
  }

  #pathOf(object: JsonObject): string {
    return `${this.#collectionOf(object)}/${nameOf(object)}`;
  }
}

/** The kind and the name of an object: all kept kinds are cluster-wide. */
function keyOf(object: JsonObject): string {
  return `${asString(object["kind"]) ?? ""} ${nameOf(object)}`;
}

function failed({ status, message: reason }: Extract<Answer, { ok: false }>): Kept {
  return { state: "failed", reason, retryable: isRetryable(status) };
}

/** The present object with the wanted fields. */
function merged(present: Json, wanted: JsonObject): JsonObject {
  const metadata = { ...asRecord(dig(present, "metadata")), ...asRecord(wanted["metadata"]) };
  for (const name of ["labels", "annotations"]) {
    Object.assign(metadata, {
      [name]: { ...asRecord(dig(present, "metadata", name)), ...asRecord(dig(wanted, "metadata", name)) },
    });
  }
  return { ...asRecord(present), ...wanted, metadata };
}

function asRecord(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
