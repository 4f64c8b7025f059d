import type { Diagnostic } from "../diagnostics/mod.ts";
import { compareBytes } from "../json/mod.ts";

/** A file that was read. */
export interface FileText {
  /** The path as it was given or found; `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** What {@link readFiles} found. */
export interface ReadFiles {
  readonly files: readonly FileText[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Limits of {@link readFiles}, and where `-` is read from. */
export interface ReadFilesOptions {
  /** Text of standard input; the process's own by default. */
  readonly stdin?: () => Promise<string>;
  /** Longer files are reported and not read: 32 MB. */
  readonly maxBytes?: number;
  /** Files in all: 20,000. */
  readonly maxFiles?: number;
}

const MAX_DEPTH = 32;
const extensions = /\.(?:yaml|yml|json)$/i;

/**
 * Reads files, folders and `-` for standard input, in the order given. A folder is searched to the bottom for `.yaml`,
 * `.yml` and `.json` files, which come in the order of their paths; names that begin with a dot are passed over, so
 * that a mounted ConfigMap is read once. A file that several paths lead to is read once. Nothing is thrown: what
 * cannot be read is a diagnostic.
 */
export async function readFiles(
  paths: readonly string[],
  options: ReadFilesOptions = {},
): Promise<ReadFiles> {
  const reading = new Reading(options);
  for (const path of paths) await reading.argument(path);
  return { files: reading.files, diagnostics: reading.diagnostics };
}

class Reading {
  readonly files: FileText[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #seen = new Set<string>();
  readonly #stdin: () => Promise<string>;
  readonly #maxBytes: number;
  readonly #maxFiles: number;

  constructor({ stdin, maxBytes = 32_000_000, maxFiles = 20_000 }: ReadFilesOptions) {
    this.#stdin = stdin ?? (() => new Response(Deno.stdin.readable).text());
    this.#maxBytes = maxBytes;
    this.#maxFiles = maxFiles;
  }

  async argument(path: string): Promise<void> {
    if (path === "-") {
      if (!this.#isNew("-")) return;
      const text = await attempt(this.#stdin());
      if (typeof text === "string") this.files.push({ file: "-", text });
      else this.#problem("-", "unreadable-file", text.reason);
      return;
    }
    const found = await attempt(Deno.stat(path));
    if ("reason" in found) {
      const hint = found.missing ? "check the path; relative ones start at the working directory" : undefined;
      this.#problem(path, found.missing ? "missing-file" : "unreadable-file", found.reason, hint);
    } else if (found.isDirectory) {
      const before = this.files.length;
      await this.#folder(path, 0);
      const reported = this.diagnostics.some(({ position }) => position?.file.startsWith(path) === true);
      if (this.files.length === before && !reported) {
        this.#problem(
          path,
          "empty-folder",
          "The folder holds no .yaml, .yml or .json file",
          undefined,
          "warning",
        );
      }
    } else await this.#file(path, found.size);
  }

  async #folder(path: string, depth: number): Promise<void> {
    if (!await this.#isFirstVisit(path)) return;
    if (depth > MAX_DEPTH) {
      this.#problem(path, "deep-folder", `Folders are read ${MAX_DEPTH} deep and no deeper`);
      return;
    }
    const names = await attempt(listFolder(path));
    if ("reason" in names) return this.#problem(path, "unreadable-file", names.reason);
    const parent = path.endsWith("/") ? path : `${path}/`;
    for (const name of names.filter((each) => !each.startsWith(".")).sort(compareBytes)) {
      const inner = `${parent}${name}`;
      // A link counts as what it leads to: mounted ConfigMaps are links.
      const found = await attempt(Deno.stat(inner));
      if ("reason" in found) {
        if (extensions.test(name)) this.#problem(inner, "unreadable-file", found.reason);
      } else if (found.isDirectory) await this.#folder(inner, depth + 1);
      else if (extensions.test(name)) await this.#file(inner, found.size);
    }
  }

  async #file(path: string, size: number): Promise<void> {
    if (!await this.#isFirstVisit(path)) return;
    if (this.files.length >= this.#maxFiles) {
      if (this.#isNew("too many files")) {
        this.#problem(path, "too-many-files", `No more than ${this.#maxFiles} files are read`);
      }
      return;
    }
    if (size > this.#maxBytes) {
      this.#problem(path, "large-file", `The file has ${size} bytes; ${this.#maxBytes} are read at most`);
      return;
    }
    const text = await attempt(Deno.readTextFile(path));
    if (typeof text === "string") this.files.push({ file: path, text });
    else this.#problem(path, "unreadable-file", text.reason);
  }

  /** Whether the file or folder was not met under another path: links can lead in circles. */
  async #isFirstVisit(path: string): Promise<boolean> {
    const real = await attempt(Deno.realPath(path));
    return this.#isNew(typeof real === "string" ? real : path);
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #problem(
    file: string,
    code: string,
    message: string,
    hint?: string,
    severity: Diagnostic["severity"] = "error",
  ): void {
    const position = { file, line: 1, column: 1 };
    this.diagnostics.push({ severity, code, message, ...(hint === undefined ? {} : { hint }), position });
  }
}

async function listFolder(path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(path)) names.push(entry.name);
  return names;
}

/** The value, or why there is none. */
async function attempt<T>(
  promise: Promise<T>,
): Promise<T | { readonly reason: string; readonly missing: boolean }> {
  try {
    return await promise;
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound;
    if (missing) return { reason: "There is no such file or folder", missing };
    const denied = error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable;
    if (denied) return { reason: "Reading it is not permitted", missing };
    return { reason: error instanceof Error ? error.message : String(error), missing };
  }
}
