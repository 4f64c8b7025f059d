import type { Diagnostic, Severity } from "./diagnostic.ts";

/**
 * At most so many diagnostics of one document: errors, then warnings, then remarks. One more says how many are left
 * out.
 *
 * ```ts
 * import { mostSerious } from "./most_serious.ts";
 * import assert from "node:assert/strict";
 * const about = { code: "unknown-field", message: 'Unknown field "x"' } as const;
 * const kept = mostSerious([{ severity: "info", ...about }, { severity: "error", ...about }], 1);
 * assert.deepEqual(kept.map(({ code }) => code), ["unknown-field", "more-problems"]);
 * ```
 */
export function mostSerious(diagnostics: readonly Diagnostic[], most: number): readonly Diagnostic[] {
  if (diagnostics.length <= most) return diagnostics;
  const sorted = [...diagnostics].sort((one, other) => ranks[one.severity] - ranks[other.severity]);
  const { position, policy } = sorted[0]!;
  return [...sorted.slice(0, most), {
    severity: "info",
    code: "more-problems",
    message: `${diagnostics.length - most} more problems of this document are not shown`,
    hint: "`lint` shows all",
    ...(position !== undefined && { position }),
    ...(policy !== undefined && { policy }),
  }];
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };
