import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Stages } from "../json/mod.ts";
import { metadataRefusals, missingFields, refusals, refusedWarningCodes } from "../documents/mod.ts";
import type { CelPolicy, ClassicPolicy } from "../policy/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";

/** The codes of warnings that break a policy where refused ones are not evaluated. */
export { refusedWarningCodes };

/** Whether policies that Kyverno, or the API server, refuses to store are evaluated, or broken. */
export type RefusedPolicies = "evaluated" | "refused";

/** The options of compiling that change for a refused policy. */
interface RefusalOptions {
  readonly broken: Diagnostic | undefined;
  report(diagnostic: Diagnostic): void;
}

/**
 * Compiles a policy. It is broken when the API server or Kyverno's webhook would refuse to store it, or when it reads
 * users although it runs in background scans, which have none. Kyverno parity: its command line cannot
 * distinguish cluster-wide kinds from others. Pinned by "apply evaluates a Policy about a cluster-wide kind".
 */
export function* compileUnlessRefused<O extends RefusalOptions>(
  policy: ClassicPolicy,
  options: O,
  compiled: (options: O) => Stages<CompiledPolicy>,
): Stages<CompiledPolicy> {
  const refused = [...metadataRefusals(policy), ...refusals(policy, { kinds: "unknown" })].map((
    { path: _path, ...each },
  ) => ({
    ...each,
    policy: policy.key,
  }));
  let broken: Diagnostic | undefined = refused[0];
  for (const each of refused) options.report(each);
  const usable = yield* compiled({
    ...options,
    broken,
    report(diagnostic: Diagnostic) {
      const isRefused = refusedWarningCodes.has(diagnostic.code);
      const reported: Diagnostic = isRefused ? { ...diagnostic, severity: "error" } : diagnostic;
      if (isRefused) broken ??= reported;
      options.report(reported);
    },
  });
  // Its rules can run, but none of them should.
  return usable.broken === broken || broken === undefined
    ? usable
    : yield* compiled({ ...options, broken, report: () => {} });
}

/** The problems for which the API server refuses to store a policy in CEL, where such policies are not evaluated. */
export function celRefusals(
  policy: CelPolicy,
  { refusedByKyverno }: { readonly refusedByKyverno: RefusedPolicies },
): Diagnostic[] {
  return refusedByKyverno === "evaluated"
    ? []
    : [...metadataRefusals(policy), ...missingFields(policy)].map(({ path: _path, ...each }) => each);
}
