import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import type { DocumentPath } from "../../json/mod.ts";

/** The problem of a part of a policy that can be read, and that Kyverno's webhook or definitions refuse to store. */
export function refusal(path: DocumentPath, message: string, hint?: string): PathDiagnostic {
  const problem = { severity: "error", code: "refused-by-api-server", message, path } as const;
  return hint === undefined ? problem : { ...problem, hint };
}
