import type { PolicyRequest } from "../engine/mod.ts";
import { asString, dig, isFault, type JsonObject } from "../json/mod.ts";
import type { Cluster, Log } from "../ports.ts";
import { existingRequest } from "./existing_request.ts";
import { listObjects } from "./list_objects.ts";
import type { RuleInForce } from "./rules_in_force.ts";
import { triggerKinds } from "./trigger_kinds.ts";

/** A rule to evaluate for an object that exists. */
export interface ExistingTrigger {
  readonly request: PolicyRequest;
  readonly only: { readonly policy: string; readonly rule: string };
}

/** The ports of {@link existingTriggers}, and the age of the objects that it looks for. */
export interface ExistingOptions {
  readonly cluster: Cluster;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Only objects that were created at this time (milliseconds since 1970) or later; all when absent. */
  readonly since?: number;
}

/**
 * Lists the existing objects of a rule's kinds, page by page. Evaluation then decides whether the rule selects them.
 * It logs kinds that cannot be listed: those with wildcards, and custom kinds without group and version.
 */
export async function* existingTriggers(
  { policy, rule }: Pick<RuleInForce, "policy" | "rule">,
  { cluster, log, signal, since = -Infinity }: ExistingOptions,
): AsyncGenerator<ExistingTrigger> {
  const only = { policy: policy.key, rule: rule.rule.name };
  const { kinds, vague } = triggerKinds(rule);
  if (vague.length > 0) {
    log.write("warn", "existing objects of some kinds are not listed", { ...only, kinds: vague });
  }
  for (const type of kinds) {
    const namespace = policy.namespace ?? "";
    for await (const object of listObjects({ ...type, namespace }, { cluster, signal })) {
      if (isFault(object)) {
        log.write("warn", "existing objects cannot be listed", { kind: type.kind, cause: object.message });
      } else if (!(createdAt(object) < since)) yield { request: existingRequest(object), only };
    }
  }
}

/** The creation time of an object, in milliseconds since 1970; NaN when it has none. */
export function createdAt(object: JsonObject): number {
  return Date.parse(asString(dig(object, "metadata", "creationTimestamp")) ?? "");
}
