import type { JsonObject } from "../json/mod.ts";
import type { PatchOperation } from "../patch/mod.ts";
import type { FailureAction, FailurePolicy, Policy } from "../policy/mod.ts";
import type { Effect, Outcome, RuleKind } from "../rules/mod.ts";

/** Which rule an outcome is of, and what a failure of it means. */
export interface RuleIdentity {
  readonly rule: string;
  readonly type: RuleKind["type"];
  /** The rule's failure action in the request's namespace. */
  readonly action: FailureAction;
}

/** The outcome of one rule for one request. */
export type RuleResult = Outcome & RuleIdentity;

/** A result whose outcome another one replaces; its rule, and what reports say of it beside the message, stay. */
export function replaced(
  { rule, type, action, properties, auditAnnotations, images }: RuleResult,
  outcome: Outcome,
): RuleResult {
  return {
    ...(properties && { properties }),
    ...(auditAnnotations && { auditAnnotations }),
    ...(images && { images }),
    ...outcome,
    rule,
    type,
    action,
  };
}

/** The fields of a policy that results name. */
export type PolicyIdentity =
  & Pick<
    Policy,
    "language" | "key" | "name" | "namespace" | "annotations" | "failurePolicy" | "emitWarning" | "background"
  >
  & {
    readonly kind: string;
  };

/** All results of one policy for one request. A rule that did not match has none. */
export interface PolicyResult {
  readonly policy: PolicyIdentity;
  readonly rules: readonly RuleResult[];
}

/** A result that refuses a request, with its policy. */
export interface Refusing {
  readonly policy: PolicyIdentity;
  readonly rule: RuleResult;
}

/** The answer to a request, as data; `lib/report` words it. */
export interface Decision {
  readonly uid: string;
  readonly allowed: boolean;
  /** The results of this phase, on which the decision rests. */
  readonly results: readonly PolicyResult[];
  /** The results that refuse the request, in order; none when it is allowed. */
  readonly refusing: readonly Refusing[];
  /** The kind of the first rule that denies the request; `undefined` when the request is allowed. */
  readonly denial: "validate" | "mutate" | undefined;
  /** The object after all mutations; the request's own object when nothing changed. */
  readonly object: JsonObject | undefined;
  /** The object with its digests and notes, where images were verified, whatever was decided. */
  readonly verified?: JsonObject;
  /** From the request's object to {@link object}; empty when nothing changed. */
  readonly patch: readonly PatchOperation[];
  readonly effects: readonly Effect[];
  readonly failurePolicy: FailurePolicy;
}
