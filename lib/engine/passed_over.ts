import type { CompiledPolicy } from "./compiled.ts";
import type { RequestView } from "./request_view.ts";
import { type Phase, rulesOfPhase } from "./phase.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Trace } from "./trace.ts";

/**
 * Selects the rules to record: those of a phase, of one policy if it is named, without those that the request
 * selects.
 */
export interface PassedOver {
  readonly phase: Phase;
  readonly policy?: string;
  readonly selected: readonly CompiledPolicy[];
}

/**
 * Records in a trace the rules that the index passes over, because they match other kinds, operations or namespaces.
 */
export function tracePassedOver(
  trace: Trace,
  { snapshot, view }: { snapshot: Snapshot; view: RequestView },
  { phase, policy: key, selected }: PassedOver,
): void {
  const candidate = view.candidate();
  for (const compiled of snapshot.policies) {
    const { policy } = compiled;
    if (selected.some((one) => one.policy === policy) || (key !== undefined && policy.key !== key)) continue;
    const elsewhere = policy.namespace !== undefined && policy.namespace !== view.base.request.namespace;
    const passedOverBy = elsewhere ? "namespace" : undefined;
    for (const rule of rulesOfPhase(compiled.rules, phase)) {
      const selection = candidate && rule.selector.explain(candidate);
      trace.passOver(policy, rule, { passedOverBy, selection });
    }
  }
}
