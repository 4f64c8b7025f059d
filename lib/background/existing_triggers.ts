import { RequestStore, untilSettled } from "../context/mod.ts";
import type { CompiledPolicy, CompiledRule, PolicyRequest, Snapshot } from "../engine/mod.ts";
import { equal, isFault, type JsonObject } from "../json/mod.ts";
import { builtinKind, formatApiVersion, parseKindSelectors } from "../kube/mod.ts";
import type { Log, Ports } from "../ports.ts";
import { clusterSurroundings } from "../rules/mod.ts";
import { existingRequest } from "./existing_request.ts";

/** A rule that is to be asked about an object that exists. */
export interface ExistingTrigger {
  readonly request: PolicyRequest;
  readonly only: { readonly policy: string; readonly rule: string };
}

/** What looking for existing objects needs. */
export interface ExistingOptions {
  readonly ports: Ports;
  readonly log: Log;
  /** The policies that were in force before: those that did not change are not asked again. */
  readonly before?: Snapshot | undefined;
}

/**
 * Whom rules are about that do not only look forward: `generateExisting` and `mutateExistingOnPolicyUpdate`. Asked when
 * policies are loaded; whether the rules select an object is left to their evaluation. Kinds with wildcards, and custom
 * kinds without group and version, are not looked for: that is logged.
 */
export async function existingTriggers(
  snapshot: Snapshot,
  { ports, log, before }: ExistingOptions,
): Promise<readonly ExistingTrigger[]> {
  const triggers: ExistingTrigger[] = [];
  const listed = new Map<string, Promise<readonly JsonObject[]>>();
  for (const { policy, rules } of snapshot.policies) {
    if (before?.policies.some((old) => isSame(old, policy))) continue;
    for (const rule of rules.filter(({ body }) => body.looksBack)) {
      const only = { policy: policy.key, rule: rule.rule.name };
      for (const { apiVersion, kind } of kindsOf(rule)) {
        const key = `${apiVersion}/${kind} ${policy.namespace ?? ""}`;
        const objects = listed.get(key) ?? list({ apiVersion, kind, namespace: policy.namespace ?? "" });
        listed.set(key, objects);
        triggers.push(...(await objects).map((object) => ({ request: existingRequest(object), only })));
      }
    }
  }
  return triggers;

  async function list(
    type: { readonly apiVersion: string; readonly kind: string; readonly namespace: string },
  ): Promise<readonly JsonObject[]> {
    const store = new RequestStore({ ports });
    const around = clusterSurroundings(store);
    const objects = await untilSettled(store, () => around.list(type));
    if (!isFault(objects)) return objects;
    log.write("warn", "existing objects cannot be listed", { kind: type.kind, cause: objects.message });
    return [];
  }

  function kindsOf(rule: CompiledRule): { apiVersion: string; kind: string }[] {
    return rule.selector.match.filters.flatMap(({ kinds }) => kinds.flatMap(parseKindSelectors)).flatMap(
      ({ group, version, kind, subresource, text }) => {
        const builtin = builtinKind(kind);
        const isVague = [group, version].includes("*");
        if (subresource !== "" || kind.includes("*") || (isVague && builtin === undefined)) {
          log.write("warn", "existing objects of this kind are not looked for", {
            rule: rule.rule.name,
            kind: text,
          });
          return [];
        }
        return [{ apiVersion: formatApiVersion(isVague ? builtin! : { group, version }), kind }];
      },
    );
  }
}

function isSame({ policy: old }: CompiledPolicy, policy: CompiledPolicy["policy"]): boolean {
  return old.key === policy.key && equal(old.document, policy.document);
}
