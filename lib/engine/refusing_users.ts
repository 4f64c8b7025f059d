import type { Diagnostic } from "../diagnostics/mod.ts";
import { usersInBackground } from "../documents/mod.ts";
import type { ClassicPolicy } from "../policy/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";

/** The options that change when a policy is refused. */
interface RefusalOptions {
  readonly broken: Diagnostic | undefined;
  report(diagnostic: Diagnostic): void;
}

/** Compiles a policy; one that reads users although it runs in background scans, which have none, is broken. */
export function refusingUsers<O extends RefusalOptions>(
  policy: ClassicPolicy,
  options: O,
  compiled: (options: O) => CompiledPolicy,
): CompiledPolicy {
  let [broken] = usersInBackground(policy);
  if (broken !== undefined) options.report(broken);
  const usable = compiled({
    ...options,
    broken,
    report(diagnostic: Diagnostic) {
      const isRefused = diagnostic.code === "background-variable";
      const reported: Diagnostic = isRefused ? { ...diagnostic, severity: "error" } : diagnostic;
      if (isRefused) broken ??= reported;
      options.report(reported);
    },
  });
  // Its rules can run, but none of them should.
  return usable.broken === broken || broken === undefined
    ? usable
    : compiled({ ...options, broken, report: () => {} });
}
