import type { Snapshot } from "../engine/mod.ts";

/** A policy with an error. */
export interface FaultyPolicy {
  readonly key: string;
  /** The first error. */
  readonly message: string;
}

/** The policies with errors, in the order of their documents. */
export function faultyPolicies({ written, diagnostics }: Snapshot): FaultyPolicy[] {
  const errors = diagnostics.filter(({ severity, policy }) => severity === "error" && policy !== undefined);
  return written.flatMap(({ policy, broken }) => {
    const found = broken ?? errors.find((each) => each.policy === policy.key);
    return found === undefined ? [] : [{ key: policy.key, message: found.message }];
  });
}
