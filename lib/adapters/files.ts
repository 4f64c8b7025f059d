import { utf8Decoder } from "../bytes/mod.ts";
import { type Diagnostic, type DiagnosticCode, fileProblem, unreadablePath } from "../diagnostics/mod.ts";
import { compareBytes } from "../json/mod.ts";

/** A file that was read. */
export interface FileText {
  /** The path as it was given or found; `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** A file that {@link findFiles} found; its text is not read yet. */
export interface FoundFile {
  /** The path as it was given or found; `-` for standard input. */
  readonly file: string;
  /** Bytes; 0 for standard input and other streams. */
  readonly size: number;
}

/** The files that {@link findFiles} found, and a diagnostic for each path that it could not open. */
export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The texts of the files that {@link readFiles} read, and a diagnostic for each file that it could not read. */
export interface ReadFiles {
  readonly files: readonly FileText[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The limits of {@link readFiles}, and the source of standard input. */
export interface ReadFilesOptions {
  /** Reads standard input (`-`); that of the process by default. */
  readonly stdin?: () => Promise<string>;
  /** The most bytes of a file: 32,000,000. A longer file is a diagnostic. */
  readonly maxBytes?: number;
  /** The most files in all: 20,000. */
  readonly maxFiles?: number;
}

const maxDepth = 32;
const extensions = /\.(?:yaml|yml|json)$/i;

/**
 * Finds the files that the paths name, in the order given: files, the files in folders, and `-` for standard input. It
 * searches a folder and its subfolders for `.yaml`, `.yml` and `.json` files and sorts them by path. It passes over
 * names that begin with a dot, so that it finds the files of a mounted ConfigMap once. It finds a file once, even when
 * several paths lead to it. It throws nothing: a path that cannot be read is a diagnostic.
 */
export async function findFiles(
  paths: readonly string[],
  { maxFiles = 20_000 }: Pick<ReadFilesOptions, "maxFiles"> = {},
): Promise<FoundFiles> {
  const search = new Search(maxFiles);
  for (const path of paths) await search.argument(path);
  return search;
}

/** Reads the files that {@link findFiles} finds; a file that cannot be read is a diagnostic. */
export async function readFiles(
  paths: readonly string[],
  options: ReadFilesOptions = {},
): Promise<ReadFiles> {
  const { maxBytes = 32_000_000, stdin = () => new Response(Deno.stdin.readable).text() } = options;
  const found = await findFiles(paths, options);
  const files: FileText[] = [];
  const diagnostics = [...found.diagnostics];
  for (const { file, size } of found.files) {
    const problem = (code: DiagnosticCode, message: string): void =>
      void diagnostics.push({ severity: "error", code, message, position: { file, line: 1, column: 1 } });
    if (size > maxBytes) {
      problem("large-file", `The file has ${size} bytes; ${maxBytes} are read at most`);
      continue;
    }
    const text = await attempt(file === "-" ? stdin() : readText(file));
    if (typeof text === "string") files.push({ file, text });
    else problem("unreadable-file", fileProblem(text.cause));
  }
  return { files, diagnostics };
}

async function readText(file: string): Promise<string> {
  const bytes = await Deno.readFile(file), decode = utf8Decoder();
  return decode(bytes) + decode();
}

class Search {
  readonly files: FoundFile[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #seen = new Set<string>();
  readonly #maxFiles: number;

  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  async argument(path: string): Promise<void> {
    if (path === "-") {
      if (this.#isNew("-")) this.files.push({ file: "-", size: 0 });
      return;
    }
    const found = await attempt(Deno.stat(path));
    if ("cause" in found) this.diagnostics.push(unreadablePath(path, found.cause));
    else if (found.isDirectory) {
      const before = this.files.length;
      await this.#folder(path, 0);
      const reported = this.diagnostics.some(({ position }) => position?.file.startsWith(path) === true);
      if (this.files.length === before && !reported) {
        const message = "The folder holds no .yaml, .yml or .json file";
        this.#problem(path, { severity: "warning", code: "empty-folder", message });
      }
    } else await this.#file(path, found.size);
  }

  async #folder(path: string, depth: number): Promise<void> {
    if (!await this.#isFirstVisit(path)) return;
    if (depth > maxDepth) {
      const message = `Folders are read ${maxDepth} deep and no deeper`;
      this.#problem(path, { code: "deep-folder", message });
      return;
    }
    const names = await attempt(listFolder(path));
    if ("cause" in names) return this.#unreadable(path, names.cause);
    const parent = path.endsWith("/") ? path : `${path}/`;
    for (const name of names.filter((each) => !each.startsWith(".")).sort(compareBytes)) {
      const inner = `${parent}${name}`;
      // `stat` follows links: the files of a mounted ConfigMap are links.
      const found = await attempt(Deno.stat(inner));
      if ("cause" in found) {
        // A link that leads to itself may stand for a folder.
        const isLoop = found.cause instanceof Deno.errors.FilesystemLoop;
        if (isLoop || extensions.test(name)) this.#unreadable(inner, found.cause);
      } else if (found.isDirectory) await this.#folder(inner, depth + 1);
      else if (extensions.test(name)) await this.#file(inner, found.size);
    }
  }

  async #file(path: string, size: number): Promise<void> {
    if (!await this.#isFirstVisit(path)) return;
    if (this.files.length < this.#maxFiles) this.files.push({ file: path, size });
    else if (this.#isNew("too many files")) {
      const message = `No more than ${this.#maxFiles} files are read`;
      this.#problem(path, { code: "too-many-files", message });
    }
  }

  /**
   * Whether the search meets a file or folder for the first time. It compares real paths: links can lead in circles.
   */
  async #isFirstVisit(path: string): Promise<boolean> {
    const real = await attempt(Deno.realPath(path));
    return this.#isNew(typeof real === "string" ? real : path);
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  /** Reports a file or folder that the search found and cannot read. */
  #unreadable(path: string, cause: unknown): void {
    this.#problem(path, { code: "unreadable-file", message: fileProblem(cause) });
  }

  /** Reports a problem; an error unless it has another severity. */
  #problem(file: string, problem: Pick<Diagnostic, "code" | "message"> & Partial<Diagnostic>): void {
    this.diagnostics.push({ severity: "error", ...problem, position: { file, line: 1, column: 1 } });
  }
}

async function listFolder(path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(path)) names.push(entry.name);
  return names;
}

/** Returns the promise's value, or the cause of its failure. */
async function attempt<T>(
  promise: Promise<T>,
): Promise<T | { readonly cause: unknown }> {
  try {
    return await promise;
  } catch (cause) {
    return { cause };
  }
}
