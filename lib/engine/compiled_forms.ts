import type { Diagnostic } from "../diagnostics/mod.ts";

/** Takes a problem that was found. */
export type Report = (diagnostic: Diagnostic) => void;

interface CompiledForm<Result> {
  readonly result: Result;
  readonly parts: readonly object[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Compiled forms, kept with their sources as long as what they were made with stays the same. */
export class CompiledForms<Source extends object, Result> {
  readonly #kept = new WeakMap<Source, CompiledForm<Result>>();

  /** The compiled form of a source with the other documents that it depends on; its problems are reported each time. */
  get(
    source: Source,
    { parts, report }: { readonly parts: readonly object[]; readonly report: Report },
    compile: (report: Report) => Result,
  ): Result {
    let kept = this.#kept.get(source);
    if (kept === undefined || !isSame(kept.parts, parts)) {
      const diagnostics: Diagnostic[] = [];
      const result = compile((diagnostic) => void diagnostics.push(diagnostic));
      kept = { result, parts, diagnostics };
      this.#kept.set(source, kept);
    }
    kept.diagnostics.forEach(report);
    return kept.result;
  }
}

function isSame(left: readonly object[], right: readonly object[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}
