import { changesOtherObjects, type Snapshot } from "../engine/mod.ts";
import type { BundleTarget } from "./target.ts";

/**
 * The features of policies that a platform lacks, one sentence for each policy. `bundle` prints them, and a bundle
 * logs them when it starts.
 */
export function limitsOf({ policies }: Snapshot, target: BundleTarget): readonly string[] {
  if (target.afterAnswer === "runs") return [];
  return policies.filter(changesOtherObjects).map(({ policy }) =>
    `${policy.key}: ${target.name} runs nothing after an answer, so what this policy generates or patches beside ` +
    "the request is not done; serve it from another platform"
  );
}
