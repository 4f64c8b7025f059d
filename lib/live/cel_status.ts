import type { CompiledPolicy } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { builtinKind } from "../kube/mod.ts";
import type { Rule } from "../policy/mod.ts";
import type { RuleBody } from "../rules/mod.ts";
import type { StatusCondition } from "./status_writer.ts";

/** The state of a policy of policies.kyverno.io, from which its status is written. */
export interface CelEnforcement {
  readonly configured: boolean;
  /** Whether the API server enforces an admission policy that was made from it. */
  readonly generated: boolean;
  /** Why no admission policy is made of a policy that requests it; empty otherwise. */
  readonly notGenerated: string;
  /** The rights that the reports' account lacks, in words. */
  readonly missingRights: readonly string[];
  /** The rights that the author must grant, as a message; empty when none are missing. */
  readonly missingRules: string;
}

/** The status of a policy of policies.kyverno.io. */
export function celStatus({ policy, broken }: CompiledPolicy, enforcement: CelEnforcement): JsonObject {
  const conditions = [
    ...(policy.admission ? [webhookCondition(enforcement.configured && broken === undefined)] : []),
    rightsCondition(policy.background, enforcement.missingRights),
  ];
  const ready = conditions.every(({ status }) => status === "True");
  return {
    conditionStatus: {
      ready,
      message: broken?.message ??
        [enforcement.missingRules, enforcement.notGenerated].filter((text) => text !== "").join("; "),
      conditions: conditions.map((condition) => ({ ...condition })),
    },
    autogen: autogenStatus(policy.rules),
    generated: enforcement.generated,
  };
}

/**
 * The specs that Postern derives from a policy about Pods for pod controllers, under the names that Kyverno gives
 * them in the status.
 */
function autogenStatus(rules: readonly Rule<RuleBody>[]): JsonObject {
  const configs = rules.flatMap(({ generatedFor, body }) => {
    if (generatedFor === undefined || body.kind !== "expressions") return [];
    const targets = [...generatedFor].flatMap((kind) => {
      const found = builtinKind(kind);
      return found === undefined
        ? []
        : [{ group: found.group, version: found.version, resource: found.plural, kind }];
    });
    return [[generatedFor.has("CronJob") ? "cronjobs" : "defaults", { targets, spec: body.spec }] as const];
  });
  return configs.length === 0 ? {} : { configs: Object.fromEntries(configs) };
}

function webhookCondition(configured: boolean): StatusCondition {
  return configured
    ? { type: "WebhookConfigured", status: "True", reason: "Succeeded", message: "Webhook configured." }
    : {
      type: "WebhookConfigured",
      status: "False",
      reason: "Failed",
      message: "Policy is not configured in the webhook.",
    };
}

function rightsCondition(background: boolean, missing: readonly string[]): StatusCondition {
  const type = "RBACPermissionsGranted";
  if (!background) {
    return {
      type,
      status: "True",
      reason: "Succeeded",
      message: "Background scanning disabled; reporting permissions not required.",
    };
  }
  return missing.length === 0
    ? { type, status: "True", reason: "Succeeded", message: "Policy is ready for reporting." }
    : {
      type,
      status: "False",
      reason: "Failed",
      message: `Policy is not ready for reporting, missing permissions: ${missing.join("; ")}.`,
    };
}
