import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Stages } from "../json/mod.ts";

/** Receives a problem. */
export type Report = (diagnostic: Diagnostic) => void;

/** Chooses the diagnostics of one document that are kept. */
export type Shortened = (diagnostics: readonly Diagnostic[]) => readonly Diagnostic[];

interface CompiledForm<Result> {
  readonly result: Result;
  readonly dependencies: readonly object[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Caches compiled forms by their sources, as long as the documents that they depend on stay the same. */
export class CompiledForms<Source extends object, Result> {
  readonly #kept = new WeakMap<Source, CompiledForm<Result>>();
  readonly #shortened: Shortened;

  /** `shortened` says which of the problems of a source are kept and reported. */
  constructor(shortened: Shortened) {
    this.#shortened = shortened;
  }

  /** Returns the compiled form of a source and the documents that it depends on. It reports the problems each time. */
  *get(
    source: Source,
    { dependencies, report }: { readonly dependencies: readonly object[]; readonly report: Report },
    compile: (report: Report) => Stages<Result>,
  ): Stages<Result> {
    let kept = this.#kept.get(source);
    if (kept === undefined || !areSameObjects(kept.dependencies, dependencies)) {
      const diagnostics: Diagnostic[] = [];
      const result = yield* compile((diagnostic) => void diagnostics.push(diagnostic));
      kept = { result, dependencies, diagnostics: this.#shortened(diagnostics) };
      this.#kept.set(source, kept);
    }
    kept.diagnostics.forEach(report);
    return kept.result;
  }
}

/** Whether two lists have the same objects, in the same order. */
export function areSameObjects(left: readonly object[], right: readonly object[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}
