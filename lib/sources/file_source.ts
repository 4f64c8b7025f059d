import { basename, dirname, join, resolve } from "node:path";
import { loadDocuments, type LoadedDocuments } from "./load.ts";
import { ParsedFiles } from "./parsed_files.ts";
import type { PolicySource } from "./policy_source.ts";

/** The intervals of watching files. */
export interface FileSourceOptions {
  /**
   * Milliseconds between comparisons of all files with their loaded texts, for changes without an event: a minute.
   */
  readonly compareEvery?: number;
  /** As {@link compareEvery}, for paths whose folder was replaced, because their events are missing: two seconds. */
  readonly compareReplacedEvery?: number;
}

/** Milliseconds within which events count as one change. */
const quiet = 300;
/** Milliseconds after which a change is reported even if events continue. */
const longestDelayMs = 3_000;

/**
 * Policies of files and folders. Events of the file system show changes of the files, of folders with everything
 * below, and of the folder around each path: a rename, or a link with another target, makes the path another file. A
 * comparison of everything once a minute finds all other changes. A file that did not change keeps its documents.
 */
export class FileSource implements PolicySource {
  readonly #paths: readonly string[];
  readonly #options: FileSourceOptions;
  readonly #parsed = new ParsedFiles();
  /** The fingerprint of the last load: computed on another thread, for which that load need not wait. */
  #seen: Promise<string> = Promise.resolve("");

  constructor(paths: readonly string[], options: FileSourceOptions = {}) {
    this.#paths = paths;
    this.#options = options;
  }

  async load(): Promise<LoadedDocuments> {
    const loaded = await loadDocuments(this.#paths, {}, this.#parsed);
    this.#seen = fingerprint(loaded);
    return loaded;
  }

  watch(changed: () => void): Disposable {
    // Standard input is read once.
    const paths = this.#paths.filter((path) => path !== "-");
    if (paths.length === 0) return { [Symbol.dispose]() {} };
    const events = new FileEvents(paths, changed);
    const { compareEvery = 60_000, compareReplacedEvery = 2_000 } = this.#options;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (!events.isIncomplete && now - last < compareEvery) return;
      last = now;
      void this.#compare(paths, changed);
    }, Math.min(compareEvery, compareReplacedEvery));
    Deno.unrefTimer(timer);
    return {
      [Symbol.dispose]() {
        clearInterval(timer);
        events.close();
      },
    };
  }

  async #compare(paths: readonly string[], changed: () => void): Promise<void> {
    // Standard input cannot be read again.
    if (paths.length !== this.#paths.length) return;
    const found = await fingerprint(await loadDocuments(paths, {}, this.#parsed));
    if (found !== await this.#seen) changed();
  }
}

/** One text for files of the same names and contents. */
async function fingerprint({ files, diagnostics }: LoadedDocuments): Promise<string> {
  const text = JSON.stringify([files.map(({ file, text }) => [file, text]), diagnostics]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

/** Events of the file system about some paths. */
class FileEvents {
  readonly #paths: readonly string[];
  readonly #changed: () => void;
  #watchers: Deno.FsWatcher[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The time of the first event of a series. */
  #since: number | undefined;
  #closed = false;
  /** The folder that each path led to, by real path. */
  readonly #folders = new Map<string, number | null>();
  #isIncomplete = false;

  constructor(paths: readonly string[], changed: () => void) {
    this.#paths = paths.map((path) => resolve(path));
    this.#changed = changed;
    this.#open();
  }

  /**
   * Whether a folder was replaced by another one with the same path: Deno keeps watching the former one, even after a
   * new watch.
   */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  /** Watches the targets of the paths, and the folders that contain them. */
  #open(): void {
    const former = this.#watchers;
    this.#watchers = [];
    const isOurs = (folder: string, path: string): boolean =>
      this.#paths.includes(join(folder, basename(path)));
    for (const folder of new Set(this.#paths.map((path) => dirname(path)))) {
      this.#follow(folder, { recursive: false }, ({ paths }) => paths.some((path) => isOurs(folder, path)));
    }
    // The folders come first, so that a path which is created afterwards is noticed.
    for (const path of this.#paths) this.#follow(path, { recursive: true }, () => true);
    for (const watcher of former) watcher.close();
  }

  #follow(path: string, options: { recursive: boolean }, concerns: (event: Deno.FsEvent) => boolean): void {
    let watcher: Deno.FsWatcher;
    try {
      // A watch does not follow links.
      const real = Deno.realPathSync(path);
      const { isDirectory, ino } = Deno.statSync(real);
      const former = this.#folders.get(real);
      if (isDirectory && former !== undefined && former !== ino) this.#isIncomplete = true;
      if (isDirectory) this.#folders.set(real, ino);
      watcher = Deno.watchFs(real, options);
    } catch {
      // The path does not exist or may not be watched: the comparison finds its changes.
      return;
    }
    this.#watchers.push(watcher);
    void this.#listen(watcher, concerns);
  }

  async #listen(watcher: Deno.FsWatcher, concerns: (event: Deno.FsEvent) => boolean): Promise<void> {
    try {
      for await (const event of watcher) if (event.kind !== "access" && concerns(event)) this.#note();
    } catch {
      // When a watcher breaks, the comparison finds the changes.
    }
  }

  #note(): void {
    if (this.#closed) return;
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(quiet, this.#since + longestDelayMs - now));
    this.#timer = setTimeout(() => {
      this.#since = undefined;
      this.#open();
      this.#changed();
    }, wait);
  }
}
