import type { PodView } from "./pod.ts";

/** A policy level of the Pod Security Standards. */
export type Level = "privileged" | "baseline" | "restricted";

/**
 * The implementation whose evaluation is followed. `kubernetes` is the Pod Security admission of the API server: a
 * restricted control replaces the baseline one it sharpens, and a control is silent in versions before its first.
 * `kyverno` is the evaluation of a rule's `podSecurity`: every control of the level runs, in older versions too, and
 * also for pods in a user namespace (`hostUsers: false`).
 */
export type Standard = "kubernetes" | "kyverno";

/** One field that breaks a control. */
export interface FieldViolation {
  /** Kubernetes field path: `spec.containers[0].securityContext.privileged`. */
  readonly path: string;
  /** `required`: the field must be set; `forbidden`: its value is not allowed. */
  readonly kind: "required" | "forbidden";
  /** The value of the field, when the control reports it. */
  readonly found?: string | boolean | number | readonly string[];
}

/** A violation of a control by a pod. */
export interface Finding {
  /** The reason in a few words: `host namespaces`. */
  readonly reason: string;
  /** The containers and fields that break the control: `hostNetwork=true`. */
  readonly detail: string;
  readonly fields: readonly FieldViolation[];
}

/** Checks a pod; `undefined` when it satisfies the control. */
export type Check = (pod: PodView) => Finding | undefined;

/** A revision of a control. */
export interface Revision {
  /** The first minor version of Kubernetes 1 that has it. */
  readonly since: number;
  readonly check: Check;
  /** The standard that has this revision; both when absent. */
  readonly standard?: Standard;
}

/** A control of the standards. A new one is a record in `controls/mod.ts`. */
export interface Control {
  /** The id in reports: `hostPorts`. */
  readonly id: string;
  /** The name in `exclude[].controlName`. Absent when Kyverno has none: the control cannot be excluded then. */
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
  /** The number of fields that are left out, as a Pod may have tens of thousands. */
  readonly more?: number;
}

/** The values of a field as texts, in the form that `exclude[].values` matches. An empty text counts as no value. */
export function foundValues(violation: FieldViolation): readonly string[] {
  const { found } = violation;
  if (found === undefined || found === "") return [];
  return typeof found === "object" ? found : [String(found)];
}

/** A violation by a forbidden value. */
export function forbidden(path: string, found?: FieldViolation["found"]): FieldViolation {
  return found === undefined ? { path, kind: "forbidden" } : { path, kind: "forbidden", found };
}

/** A violation by a missing value. */
export function required(path: string): FieldViolation {
  return { path, kind: "required" };
}
