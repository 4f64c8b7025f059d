import { equal } from "../../json/mod.ts";
import type { Policy } from "../../policy/mod.ts";

/** A policy that was created, updated or deleted. */
export interface PolicyChange {
  readonly policy: Policy;
  readonly change: "created" | "updated" | "deleted";
}

/** The differences between the policies that were in force and those that are. */
export function policyChanges(before: readonly Policy[], after: readonly Policy[]): PolicyChange[] {
  const former = new Map(before.map((policy) => [keyOf(policy), policy]));
  const changes = after.flatMap((policy): PolicyChange[] => {
    const earlier = former.get(keyOf(policy));
    former.delete(keyOf(policy));
    if (earlier === undefined) return [{ policy, change: "created" }];
    return isSame(earlier, policy) ? [] : [{ policy, change: "updated" }];
  });
  return [...changes, ...[...former.values()].map((policy) => ({ policy, change: "deleted" as const }))];
}

function keyOf({ kind, key }: Policy): string {
  return `${kind}/${key}`;
}

/** Whether two versions of a policy differ at most in their status. */
function isSame({ document: before }: Policy, { document: after }: Policy): boolean {
  return before === after || equal(before["spec"] ?? null, after["spec"] ?? null);
}
