import { type Diagnostic, formatDiagnostic } from "../diagnostics/mod.ts";
import { compile, type CompileOptions, type Snapshot } from "../engine/mod.ts";
import { loadDocuments } from "./load.ts";

/** Policies that were read and compiled. */
export interface LoadedPolicies {
  readonly snapshot: Snapshot;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and compiles policies and exceptions. */
export async function loadPolicies(
  paths: readonly string[],
  options: CompileOptions,
): Promise<LoadedPolicies> {
  const { documents, diagnostics } = await loadDocuments(paths);
  const snapshot = compile(documents, options);
  return { snapshot, diagnostics: [...diagnostics, ...snapshot.diagnostics] };
}

/** The policies in force, loaded again when their files change. A set that cannot be read leaves the old one in force. */
export class PolicyFiles {
  readonly #paths: readonly string[];
  readonly #compiling: CompileOptions;
  readonly #loaded: (policies: LoadedPolicies) => void;
  #current: Snapshot | undefined;
  #watcher: Deno.FsWatcher | undefined;

  constructor(
    options: {
      paths: readonly string[];
      compiling: CompileOptions;
      loaded: (policies: LoadedPolicies) => void;
    },
  ) {
    this.#paths = options.paths;
    this.#compiling = options.compiling;
    this.#loaded = options.loaded;
  }

  /** The snapshot in force; `undefined` before the first load. */
  get snapshot(): Snapshot | undefined {
    return this.#current;
  }

  /** Reads the files and puts them in force. */
  async load(): Promise<void> {
    const policies = await loadPolicies(this.#paths, this.#compiling);
    const vanished = policies.snapshot.policies.length === 0 && policies.diagnostics.length > 0;
    if (vanished && this.#current !== undefined) {
      return this.#loaded({ ...policies, snapshot: this.#current });
    }
    this.#current = policies.snapshot;
    this.#loaded(policies);
  }

  /** Loads again whenever the files change, until {@link close}. Bursts of changes are one load. */
  async watch(): Promise<void> {
    const files = this.#paths.filter((path) => path !== "-");
    if (files.length === 0) return;
    this.#watcher = Deno.watchFs([...files]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    for await (const event of this.#watcher) {
      if (event.kind === "access") continue;
      clearTimeout(timer);
      timer = setTimeout(() => void this.load(), 300);
    }
    clearTimeout(timer);
  }

  /** Stops watching. */
  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

/** Diagnostics as lines. */
export function diagnosticLines(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(formatDiagnostic);
}
