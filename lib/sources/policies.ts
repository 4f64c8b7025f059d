import type { Diagnostic } from "../diagnostics/mod.ts";
import { compile, type CompileOptions, PolicyCompiler, type Snapshot } from "../engine/mod.ts";
import { inSlices } from "../slices.ts";
import type { Scheduler } from "../ports.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { FormerVersions } from "./former_versions.ts";
import { loadDocuments } from "./load.ts";
import { policyChecksum } from "./policy_checksum.ts";
import type { PolicySource } from "./policy_source.ts";

/** Policies that were read and compiled. */
export interface LoadedPolicies {
  readonly snapshot: Snapshot;
  readonly diagnostics: readonly Diagnostic[];
  /** The checksum of the files, as in the manifests. */
  readonly checksum: string;
}

/** Reads and compiles policies and exceptions. */
export async function loadPolicies(
  paths: readonly string[],
  options: CompileOptions,
): Promise<LoadedPolicies> {
  const { documents, diagnostics, files } = await loadDocuments(paths);
  const snapshot = compile(documents, options);
  const checksum = await policyChecksum(files);
  return { snapshot, diagnostics: [...diagnostics, ...snapshot.diagnostics], checksum };
}

/** The source and the listeners of {@link FollowedPolicies}. */
export interface FollowedPoliciesOptions {
  readonly source: PolicySource;
  readonly compiling: CompileOptions;
  /** Lets requests have their turns while changed policies are compiled; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
  /** Called after each load. */
  readonly loaded: (policies: LoadedPolicies) => void;
}

/**
 * The policies of a source that are in force, loaded again when they change. A policy is compiled again only if its
 * document is another one: see {@link PolicyCompiler}.
 */
export class FollowedPolicies {
  readonly #options: FollowedPoliciesOptions;
  readonly #former = new FormerVersions();
  readonly #compiler: PolicyCompiler;
  #snapshot: Snapshot | undefined;
  #documents: readonly YamlDocument[] = [];
  #watch: Disposable | undefined;
  /** Loads run one after the other. */
  #loading: Promise<void> = Promise.resolve();

  constructor(options: FollowedPoliciesOptions) {
    this.#options = options;
    this.#compiler = new PolicyCompiler(options.compiling);
  }

  /** The snapshot in force; `undefined` before the first load. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** The documents of the snapshot. */
  get documents(): readonly YamlDocument[] {
    return this.#documents;
  }

  /** Reads the source and puts policies without errors in force; a file with errors keeps its former version. */
  load(): Promise<void> {
    return this.#loading = this.#loading.then(() => this.#load());
  }

  async #load(): Promise<void> {
    const { source, loaded } = this.#options;
    const read = await source.load();
    const whole = await this.#compile(read.documents);
    const { documents, kept } = this.#former.accept(read, whole.diagnostics);
    const snapshot = kept.length === 0 ? whole : await this.#compile(documents);
    const causes = kept.length === 0
      ? []
      : whole.diagnostics.filter(({ position }) => kept.includes(position?.file ?? ""));
    this.#snapshot = snapshot;
    this.#documents = documents;
    const diagnostics = [
      ...read.diagnostics,
      ...causes,
      ...kept.map(keptDiagnostic),
      ...snapshot.diagnostics,
    ];
    loaded({ snapshot, diagnostics, checksum: await policyChecksum(read.files) });
  }

  /** Compiles documents. Before the first load there are no requests. */
  #compile(documents: readonly YamlDocument[]): Promise<Snapshot> {
    const { scheduler } = this.#options;
    return inSlices(this.#compiler.stages(documents), this.#snapshot === undefined ? undefined : scheduler);
  }

  /** Loads again whenever the source changes, until {@link close}. */
  watch(): void {
    this.#watch ??= this.#options.source.watch(() => void this.load());
  }

  /** Stops watching the source. */
  close(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }
}

function keptDiagnostic(file: string): Diagnostic {
  return {
    severity: "warning",
    code: "former-version",
    message: "The former version of this file stays in force",
    hint: "mend the file, or delete it to take its policies out of force",
    position: { file, line: 1, column: 1 },
  };
}
