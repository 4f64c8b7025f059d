import type { CompiledPolicy } from "../engine/mod.ts";
import { asString, dig, type JsonObject } from "../json/mod.ts";
import type { ServedResource } from "../ports.ts";
import { scheduleProblem } from "./cleanup/schedule.ts";
import type { PolicyRight } from "./policy_rights.ts";
import { scannedTargets } from "./reports/scan_targets.ts";
import type { StatusCondition } from "./status_writer.ts";

/** The state of a deleting policy, from which its status is written. */
export interface Deletability {
  /** A message with the rights that the author of the policy must grant; empty when none are missing. */
  readonly missingRules: string;
}

/**
 * The status of a DeletingPolicy or NamespacedDeletingPolicy: it is ready when it can be read and its objects may be
 * deleted.
 */
export function deletingStatus(
  { policy, broken }: CompiledPolicy,
  { missingRules }: Deletability,
): JsonObject {
  const unscheduled = scheduleProblem(asString(dig(policy.document, "spec", "schedule")) ?? "");
  const problem = broken?.message ??
    (unscheduled === undefined ? undefined : `spec.schedule: ${unscheduled}`);
  const isGranted = missingRules === "";
  const condition: StatusCondition = {
    type: "RBACPermissionsGranted",
    status: isGranted ? "True" : "False",
    reason: isGranted ? "Succeeded" : "Failed",
    message: isGranted
      ? "Policy may delete the objects that it is about."
      : "Policy lacks rights to list or delete the objects that it is about.",
  };
  return {
    conditionStatus: {
      ready: problem === undefined && isGranted,
      message: problem ?? missingRules,
      conditions: [{ ...condition }],
    },
  };
}

/** The rights to list and delete the objects that a deleting policy is about. */
export function deletingRights(compiled: CompiledPolicy, served: readonly ServedResource[]): PolicyRight[] {
  const { namespace } = compiled.policy;
  return scannedTargets(compiled, served).filter(({ resource }) =>
    !resource.includes("/") || resource === "*/*"
  )
    .flatMap(({ group, resource }) =>
      ["list", "delete"].map((verb) => ({
        account: "cleanup" as const,
        right: {
          verb,
          group,
          resource: resource === "*/*" ? "*" : resource,
          ...(namespace !== undefined && { namespace }),
        },
      }))
    );
}
