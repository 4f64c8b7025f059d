import { dirname, resolve, sep } from "node:path";

/** Milliseconds within which changes of files count as one change, because editors write in several steps. */
const burstMs = 200;

/** The most extensions of a burst, so that a file that a program writes all the time also counts as changed. */
const mostBursts = 10;

/** The most paths that one change names. */
const mostNamed = 5;

/** Watches files and folders for changes until the caller disposes of it. */
export class FileChanges implements Disposable {
  /** Watchers by folder. The key of a recursive watcher ends with a separator. */
  readonly #watchers = new Map<string, Deno.FsWatcher>();
  readonly #folders = new Set<string>();
  readonly #files = new Set<string>();
  readonly #ignored = new Set<string>();
  readonly #changed = new Set<string>();
  #wake = (): void => {};

  /**
   * Watches files, and folders recursively. It ignores changes of `ignored` files. For a file, also a missing one, it
   * watches the folder if it exists. It skips folders that it cannot watch.
   */
  watch(paths: readonly string[], ignored: readonly string[]): void {
    for (const path of ignored) this.#ignored.add(resolve(path));
    for (const path of paths.map((path) => resolve(path))) {
      if (isFolder(path)) {
        this.#folders.add(path);
        this.#open(path, true);
      } else {
        this.#files.add(path);
        this.#open(dirname(path), false);
      }
    }
  }

  /** Waits for changes, until 200 ms pass without another one, and returns the changed paths. */
  async next(): Promise<readonly string[]> {
    if (this.#changed.size === 0) await new Promise<void>((resolve) => this.#wake = resolve);
    for (let round = 0, before = 0; round < mostBursts && before !== this.#changed.size; round++) {
      before = this.#changed.size;
      await new Promise((resolve) => setTimeout(resolve, burstMs));
    }
    const changed = [...this.#changed].sort().slice(0, mostNamed);
    this.#changed.clear();
    return changed;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #open(folder: string, recursive: boolean): void {
    const key = recursive ? `${folder}${sep}` : folder;
    if (this.#watchers.has(key) || this.#isBelowFolder(folder) && !recursive) return;
    try {
      const watcher = Deno.watchFs(folder, { recursive });
      this.#watchers.set(key, watcher);
      void this.#listen(watcher);
    } catch {
      // The folder is gone or unreadable: the command has already reported that.
    }
  }

  async #listen(watcher: Deno.FsWatcher): Promise<void> {
    for await (const { kind, paths } of watcher) {
      if (kind === "access") continue;
      for (const path of paths) if (this.#counts(path)) this.#changed.add(path);
      if (this.#changed.size > 0) this.#wake();
    }
  }

  #counts(path: string): boolean {
    if (this.#ignored.has(path) || path.includes(`${sep}.git${sep}`)) return false;
    return this.#files.has(path) || this.#isBelowFolder(path);
  }

  #isBelowFolder(path: string): boolean {
    return [...this.#folders].some((folder) => path === folder || path.startsWith(`${folder}${sep}`));
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
