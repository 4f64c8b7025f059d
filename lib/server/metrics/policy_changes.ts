import { equal, type Stages } from "../../json/mod.ts";
import type { Policy } from "../../policy/mod.ts";

/** A policy that was created, updated or deleted. */
export interface PolicyChange {
  readonly policy: Policy;
  readonly change: "created" | "updated" | "deleted";
}

/** The differences between the policies that were in force and those that are. Each stage is about one policy. */
export function* policyChanges(before: readonly Policy[], after: readonly Policy[]): Stages<PolicyChange[]> {
  const former = new Map<string, Policy>(), changes: PolicyChange[] = [];
  for (const policy of before) {
    former.set(keyOf(policy), policy);
    yield;
  }
  for (const policy of after) {
    const key = keyOf(policy), earlier = former.get(key);
    former.delete(key);
    if (earlier === undefined) changes.push({ policy, change: "created" });
    else if (!isSame(earlier, policy)) changes.push({ policy, change: "updated" });
    yield;
  }
  return [...changes, ...[...former.values()].map((policy) => ({ policy, change: "deleted" as const }))];
}

function keyOf({ kind, key }: Policy): string {
  return `${kind}/${key}`;
}

/** Whether two versions of a policy differ at most in their status. */
function isSame({ document: before }: Policy, { document: after }: Policy): boolean {
  return before === after || equal(before["spec"] ?? null, after["spec"] ?? null);
}
