import type { Snapshot } from "../engine/mod.ts";
import { nameOf } from "../kube/mod.ts";
import { type Diagnostic, formatDiagnostic, withPosition } from "../diagnostics/mod.ts";
import { clusterWideKind } from "../policy/mod.ts";
import type { Terminal } from "./terminal.ts";

/** Prints each problem of a command's input at once, and counts problems for the exit code. */
export class Diagnostics {
  readonly #terminal: Terminal;
  readonly #all: Diagnostic[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** All diagnostics so far. */
  get all(): readonly Diagnostic[] {
    return this.#all;
  }

  /** How many of them are errors. */
  get errors(): number {
    return this.#all.filter(({ severity }) => severity === "error").length;
  }

  add(...diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) {
      this.#all.push(diagnostic);
      this.#terminal.err(formatDiagnostic(diagnostic));
    }
  }
}

/** The kinds of policies that `apply` does not evaluate. */
const cleanupKinds = /^(?:Cluster)?CleanupPolicy$/;

/**
 * Reports policies of kinds that a command does not evaluate, so that no user relies on them. `apply`, `explain` and
 * `test` show the objects that a DeletingPolicy selects.
 */
export function unevaluatedPolicies(
  { others, diagnostics }: Snapshot,
  { showsDeleting = false }: { readonly showsDeleting?: boolean } = {},
): Diagnostic[] {
  return others.flatMap(({ kind, document, locate }) => {
    const policy = nameOf(document);
    const isNamed = diagnostics.some((each) => each.severity === "error" && each.policy === policy);
    const isEvaluated = !cleanupKinds.test(kind) &&
      (showsDeleting || clusterWideKind(kind) !== "DeletingPolicy");
    if (isEvaluated || isNamed) return [];
    const message = `${kind} "${policy}" is not evaluated: Postern deletes nothing`;
    return [
      withPosition({ severity: "error", code: "not-evaluated", message, policy, path: ["kind"] }, locate),
    ];
  });
}
