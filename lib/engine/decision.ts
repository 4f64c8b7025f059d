import type { JsonObject } from "../json/mod.ts";
import type { PatchOperation } from "../patch/mod.ts";
import type { FailureAction, FailurePolicy, Policy } from "../policy/mod.ts";
import type { Effect, Outcome, RuleType } from "../rules/mod.ts";

/** The rule of an outcome, and its failure action. */
export interface RuleIdentity {
  readonly rule: string;
  readonly type: RuleType;
  /** The rule's failure action in the request's namespace. */
  readonly action: FailureAction;
}

/** The outcome of one rule for one request, with the rule. */
export type RuleResult = Outcome & RuleIdentity;

/** Whether the resource breaks the rule, or the rule could not be evaluated. */
export function isFailOrError({ result }: Pick<RuleResult, "result">): boolean {
  return result === "fail" || result === "error";
}

/**
 * The result without its object, once a later rule has changed that: of an object of megabytes, each would be another
 * copy. Only whether the rule changed the object counts then.
 */
export function superseded(result: RuleResult): RuleResult {
  return result.result !== "pass" || result.patched === undefined || result.patched === supersededObject
    ? result
    : { ...result, patched: supersededObject };
}

const supersededObject: JsonObject = Object.freeze({});

/** A result with another outcome. Its rule stays, and so do the properties that reports show besides the message. */
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
    | "language"
    | "key"
    | "name"
    | "namespace"
    | "annotations"
    | "failurePolicy"
    | "emitWarning"
    | "admission"
    | "background"
    | "written"
  >
  & {
    readonly kind: string;
  };

/** All results of one policy for one request. A rule that did not match has none. */
export interface PolicyResult {
  readonly policy: PolicyIdentity;
  readonly rules: readonly RuleResult[];
}

/** A result that denies a request, with its policy. */
export interface DenyingResult {
  readonly policy: PolicyIdentity;
  readonly rule: RuleResult;
}

/** The answer to a request, as data; `lib/report` writes its text. */
export interface Decision {
  readonly uid: string;
  readonly allowed: boolean;
  /** The results of this phase, from which the decision is made. */
  readonly results: readonly PolicyResult[];
  /** The results that deny the request, in order; none when it is allowed. */
  readonly denying: readonly DenyingResult[];
  /** The object after all mutations; the request's object when nothing changed. */
  readonly object: JsonObject | undefined;
  /** The object with digests and notes, where images were verified, whatever the decision. */
  readonly verified?: JsonObject;
  /** The patch from the request's object to {@link object}; empty when nothing changed. */
  readonly patch: readonly PatchOperation[];
  readonly effects: readonly Effect[];
  readonly failurePolicy: FailurePolicy;
}

/** Whether a mutation denies the request. The message for the user is then about that mutation alone. */
export function isDeniedByMutation({ denying }: Pick<Decision, "denying">): boolean {
  return denying[0]?.rule.type === "mutate";
}
