import type { PodView } from "./pod.ts";

/** A policy level of the Pod Security Standards. */
export type Level = "privileged" | "baseline" | "restricted";

/**
 * Whose evaluation is followed. `kubernetes` is the Pod Security admission of the API server: a restricted control
 * replaces the baseline one it sharpens, and a control is silent in versions before its first. `kyverno` is what a
 * rule's `podSecurity` does: every control of the level runs, in older versions too, and pods in a user namespace
 * (`hostUsers: false`) get no relief.
 */
export type Standard = "kubernetes" | "kyverno";

/** One field that breaks a control. */
export interface FieldViolation {
  /** Kubernetes field path: `spec.containers[0].securityContext.privileged`. */
  readonly path: string;
  /** `required`: it had to be set; `forbidden`: it is set to something that is not allowed. */
  readonly kind: "required" | "forbidden";
  /** The value that was found there, when the control names it. */
  readonly found?: string | boolean | number | readonly string[];
}

/** A violation of a control by a pod. */
export interface Finding {
  /** A few words: `host namespaces`. */
  readonly reason: string;
  /** Who broke it and how: `hostNetwork=true`. */
  readonly detail: string;
  readonly fields: readonly FieldViolation[];
}

/** Judges a pod; `undefined` when there is nothing against it. */
export type Check = (pod: PodView) => Finding | undefined;

/** A revision of a control. */
export interface Revision {
  /** First minor version of Kubernetes 1 that it holds for. */
  readonly since: number;
  readonly check: Check;
  /** Whose evaluation has this revision; both when absent. */
  readonly standard?: Standard;
}

/** A control of the standards; a new one is a record in `controls/mod.ts`. */
export interface Control {
  /** The id that reports carry: `hostPorts`. */
  readonly id: string;
  /** The name that `exclude[].controlName` uses; absent when Kyverno has none, so that it cannot be excluded. */
  readonly name?: string;
  readonly level: "baseline" | "restricted";
  /** Ids of the baseline controls that this restricted one replaces. */
  readonly replaces?: readonly string[];
  readonly revisions: readonly Revision[];
}

/** A violation of one control. */
export interface Violation extends Finding {
  /** The control's id. */
  readonly control: string;
  /** The control's name as in `controlName`, empty when it has none. */
  readonly name: string;
}

/** A set value as text, the way that `exclude[].values` see it. An empty text counts as no value. */
export function foundValues(violation: FieldViolation): readonly string[] {
  const { found } = violation;
  if (found === undefined || found === "") return [];
  return typeof found === "object" ? found : [String(found)];
}

/** A violation that forbids what was found. */
export function forbidden(path: string, found?: FieldViolation["found"]): FieldViolation {
  return found === undefined ? { path, kind: "forbidden" } : { path, kind: "forbidden", found };
}

/** A violation that names the wanted value. */
export function required(path: string): FieldViolation {
  return { path, kind: "required" };
}
