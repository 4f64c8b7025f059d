import type { PathDiagnostic } from "../diagnostics/mod.ts";
import type { DocumentPath } from "../json/mod.ts";
import type { Need } from "./need.ts";
import type { Use } from "../template/mod.ts";

/** The options of compiling a context entry, and the receivers of its problems and needs. */
export interface EntryOptions {
  /** For a Policy, the only namespace that it may read. */
  readonly policyNamespace: string | undefined;
  /** Takes a problem at a path below the entry. */
  report(problem: PathDiagnostic): void;
  /** Takes what the entry needs from outside the request. */
  need(need: Need): void;
  /** Takes the variables of the entry's templates, by path below the entry. */
  variables(uses: readonly Use[], path: DocumentPath): void;
}
