import { compile } from "../engine/mod.ts";
import { type Diagnostic, formatDiagnostic } from "../diagnostics/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { loadDocuments } from "../sources/mod.ts";
import type { Terminal } from "./terminal.ts";

/** `lint PATH…`: prints what is wrong with policies; 1 when something is an error. */
export async function lint(
  paths: readonly string[],
  { dialect }: { dialect: Dialect },
  terminal: Terminal,
): Promise<number> {
  const { documents, diagnostics } = await loadDocuments(paths);
  const snapshot = compile(documents, { dialect });
  const all = [...diagnostics, ...snapshot.diagnostics];
  for (const diagnostic of all) terminal.out(formatDiagnostic(diagnostic));
  const errors = all.filter(isError).length;
  const count = snapshot.policies.length + snapshot.jsonPolicies.length;
  terminal.err(
    `${count} ${count === 1 ? "policy" : "policies"}, ${errors} ${errors === 1 ? "error" : "errors"}, ${
      all.length - errors
    } other remarks`,
  );
  return errors > 0 ? 1 : 0;
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}
