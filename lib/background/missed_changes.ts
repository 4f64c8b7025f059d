import type { JsonObject } from "../json/mod.ts";
import { createdAt, fieldWrites, posternManager, uidOf } from "../kube/mod.ts";
import type { UnseenTime } from "./unseen_times.ts";

/** A change of an object in a time whose effects may be missing. */
export interface MissedChange {
  readonly operation: "CREATE" | "UPDATE";
  /** When it was made, in milliseconds since 1970, in whole seconds by the API server's clock. */
  readonly at: number;
}

/** The name of a change in {@link UnseenTime.evaluated}. */
export function changeKey(object: JsonObject, { operation }: MissedChange): string {
  return `${uidOf(object)} ${operation}`;
}

/**
 * The changes that an object shows of a time, without those for which the rule was evaluated: its creation, and the
 * last update of a field manager, unless that is as old as the object. It does not show earlier updates, whose fields
 * the object has, nor those of subresources, nor those that only remove fields.
 */
export function missedChanges(
  object: JsonObject,
  { since, until, evaluated }: UnseenTime,
  { passesOverPostern }: { readonly passesOverPostern: boolean },
): readonly MissedChange[] {
  const created = createdAt(object);
  const isMissed = (at: number): boolean => !(at < since) && !(at > until);
  const updates = fieldWrites(object).filter(({ manager, subresource, at }) =>
    subresource === "" && at > created && isMissed(at) && !(passesOverPostern && manager === posternManager)
  );
  const found: MissedChange[] = isMissed(created) ? [{ operation: "CREATE", at: created }] : [];
  if (updates.length > 0) found.push({ operation: "UPDATE", at: Math.max(...updates.map(({ at }) => at)) });
  return found.filter((change) => !evaluated.has(changeKey(object, change)));
}
