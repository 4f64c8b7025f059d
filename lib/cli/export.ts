import { type Diagnostic, formatDiagnostic } from "../diagnostics/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { exportAdmissionPolicies } from "../install/mod.ts";
import { toYaml } from "../yaml/mod.ts";
import { loadPolicies } from "../sources/mod.ts";
import type { Terminal } from "./terminal.ts";

/**
 * `export PATH…`: prints ValidatingAdmissionPolicies and their bindings for the rules that the API server can enforce
 * itself. On standard error it prints the rules with `validate.cel` that the API server cannot enforce, with the
 * reason. Exit code 1 when a policy has an error, or there is none.
 */
export async function exportPolicies(
  paths: readonly string[],
  { dialect }: { dialect: Dialect },
  terminal: Terminal,
): Promise<number> {
  const { snapshot, diagnostics } = await loadPolicies(paths, { dialect });
  const errors = diagnostics.filter(({ severity }: Diagnostic) => severity === "error");
  for (const diagnostic of errors) terminal.err(formatDiagnostic(diagnostic));
  if (snapshot.written.length === 0 && errors.length === 0) {
    terminal.err(`error no-policies: ${paths.join(", ")}: there are no policies`);
    return 1;
  }
  const { objects, unexported } = exportAdmissionPolicies(snapshot.written);
  if (objects.length > 0) terminal.out(objects.map((object) => toYaml(object).trimEnd()).join("\n---\n"));
  if (objects.length === 0 && unexported.length === 0 && errors.length === 0) {
    terminal.err("nothing to export: no ClusterPolicy or Policy has a rule with validate.cel");
  }
  for (const { policy, rule, reason } of unexported) terminal.err(`${policy}/${rule} is left out: ${reason}`);
  return errors.length > 0 ? 1 : 0;
}
