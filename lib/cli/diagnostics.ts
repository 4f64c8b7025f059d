import { isCleanupKind } from "../apply/mod.ts";
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

/** The kinds of policies that a command shows the objects of, although it deletes none. */
export interface ShownDeletions {
  /** Whether it shows the objects of a DeletingPolicy, as `apply`, `explain` and `test` do. */
  readonly showsDeleting?: boolean;
  /** Whether it shows those of a CleanupPolicy, as `apply` does. */
  readonly showsCleanups?: boolean;
}

/** Reports policies of kinds that a command does not evaluate, so that no user relies on them. */
export function unevaluatedPolicies(
  { others, diagnostics }: Snapshot,
  { showsDeleting = false, showsCleanups = false }: ShownDeletions = {},
): Diagnostic[] {
  return others.flatMap(({ kind, document, locate }) => {
    const policy = nameOf(document);
    const isNamed = diagnostics.some((each) => each.severity === "error" && each.policy === policy);
    const isEvaluated = isCleanupKind(kind)
      ? showsCleanups
      : showsDeleting || clusterWideKind(kind) !== "DeletingPolicy";
    if (isEvaluated || isNamed) return [];
    const message = `${kind} "${policy}" is not evaluated: Postern deletes nothing`;
    return [
      withPosition({ severity: "error", code: "not-evaluated", message, policy, path: ["kind"] }, locate),
    ];
  });
}
