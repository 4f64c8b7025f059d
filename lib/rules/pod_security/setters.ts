import type { Json } from "../../json/mod.ts";
import type { FieldViolation } from "./control.ts";
import { namedContainers, type PodView } from "./pod.ts";

/** The pod and the containers that set a forbidden value. */
export interface Setters {
  /** `pod and containers "a", "b"`. */
  readonly who: string;
  readonly fields: readonly FieldViolation[];
}

/**
 * Checks the security contexts of the pod, then of its containers. `check` gets each context with the path of its
 * owner (`spec`, `spec.containers[0]`) and returns violations, none when the context is allowed.
 */
export function settersOf(
  { security, containers }: PodView,
  check: (security: Json, path: string) => readonly FieldViolation[],
): Setters | undefined {
  const fields: FieldViolation[] = [];
  if (security !== undefined) fields.push(...check(security, "spec"));
  const who = fields.length > 0 ? ["pod"] : [];
  const names: string[] = [];
  for (const container of containers) {
    if (container.security === undefined) continue;
    const bad = check(container.security, container.path);
    if (bad.length === 0) continue;
    names.push(container.name);
    fields.push(...bad);
  }
  if (names.length > 0) who.push(namedContainers(names));
  return who.length === 0 ? undefined : { who: who.join(" and "), fields };
}
