import type { EffectsResult } from "../../background/mod.ts";
import { type Effect, type PolicyIdentity, replaced, type RuleResult } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf, typeOf, uidOf } from "../../kube/mod.ts";
import { effectsOf, error, exceptionsOf } from "../../rules/mod.ts";
import { rowsOf } from "./rows.ts";

/** The rows about one object. */
export interface ObjectRows {
  readonly object: JsonObject;
  readonly rows: readonly JsonObject[];
}

/**
 * The report rows for effects on other objects. Kyverno parity: rows are about the trigger, and their properties name
 * the objects that were made or changed; those of a MutatingPolicy are about the targets. Pinned by
 * tests/live/reports_test.ts.
 */
export function effectRows(effects: EffectsResult, now: number): ObjectRows[] {
  const trigger = effects.request.object;
  return effects.results.flatMap(({ policy, rules }) =>
    rules.flatMap((rule): ObjectRows[] => {
      const reported = withFailures(rule, policy, effects);
      if (reported.result === "skip" && exceptionsOf(reported) === undefined) return [];
      const isAboutTarget = rule.type === "mutateExisting" && policy.language !== "classic";
      const object = isAboutTarget ? effectsOf(rule)[0]?.object : trigger;
      if (object === undefined || uidOf(object) === "") return [];
      const properties = isAboutTarget ? {} : changed(rule, policy, effects);
      const result = { ...reported, properties: { ...rule.properties, ...properties } };
      const rows = rowsOf([{ policy: reporting(policy, rule), rules: [result] }], object, now);
      return [{
        object,
        rows: rule.type === "generate" ? rows.map((row) => ({ ...row, rule: rule.rule })) : rows,
      }];
    })
  );
}

/** The policy of a row. Scans do not generate, so Kyverno counts the results of a GeneratingPolicy to the admission. */
function reporting(policy: PolicyIdentity, { type }: RuleResult): PolicyIdentity {
  return type === "generate" && policy.language !== "classic" ? { ...policy, background: false } : policy;
}

function withFailures(rule: RuleResult, policy: PolicyIdentity, { failures }: EffectsResult): RuleResult {
  const failure = failures.find(({ by }) => by?.policy === policy.key && by.rule === rule.rule);
  return failure === undefined ? rule : replaced(rule, error(failure.message));
}

function changed(rule: RuleResult, policy: PolicyIdentity, { carried }: EffectsResult): JsonObject {
  if (rule.type === "mutateExisting") {
    const [effect] = effectsOf(rule);
    return effect === undefined ? {} : { "patched-target": described(effect.object) };
  }
  const made = carried.filter((effect) =>
    effect.policy === policy.key && effect.rule === rule.rule && isMade(effect)
  );
  return made.length === 0
    ? {}
    : { "generated-resources": made.map(({ object }) => described(object)).join("; ") };
}

/** Whether an effect made or changed an object: not a deletion, and not the label on a source. */
function isMade({ verb, dispensable }: Effect): boolean {
  return verb !== "delete" && dispensable === undefined;
}

/** An object in Kyverno's form: `/v1, Kind=Secret Name=regcred Namespace=team`. */
function described(object: JsonObject): string {
  const { group, version, kind } = typeOf(object);
  const namespace = namespaceOf(object);
  const within = namespace === "" ? "" : ` Namespace=${namespace}`;
  return `${group}/${version}, Kind=${kind} Name=${nameOf(object)}${within}`;
}
