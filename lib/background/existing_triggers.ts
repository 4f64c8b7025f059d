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
  /** Only objects that were created at this time, in milliseconds since 1970, or later. */
  readonly since?: number;
}

/**
 * The objects that exist of the kinds that a rule is about, page by page; whether the rule selects one is left to its
 * evaluation. Kinds with wildcards, and custom kinds without group and version, are not looked for: that is logged.
 */
export async function* existingTriggers(
  { policy, rule }: Pick<RuleInForce, "policy" | "rule">,
  { cluster, log, signal, since = -Infinity }: ExistingOptions,
): AsyncGenerator<ExistingTrigger> {
  const only = { policy: policy.key, rule: rule.rule.name };
  const { kinds, vague } = triggerKinds(rule);
  if (vague.length > 0) {
    log.write("warn", "existing objects of some kinds are not looked for", { ...only, kinds: vague });
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

/** When an object was created, in milliseconds since 1970; NaN when it does not say. */
export function createdAt(object: JsonObject): number {
  return Date.parse(asString(dig(object, "metadata", "creationTimestamp")) ?? "");
}
