import { exceptionsOf } from "../../rules/mod.ts";
import type { Decision, PolicyRequest, RuleResult } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { formatApiVersion, nameOf } from "../../kube/mod.ts";
import { hasRules } from "../../policy/mod.ts";
import { type PolicyEvent, referenceTo } from "./event.ts";

/** Which policies an exception is for: those with rules, or those in CEL. */
export type ExceptionRole = "exception" | "cel-exception";

/** The request, and the options of the events about its decision. */
export interface DecisionContext {
  readonly request: PolicyRequest;
  /**
   * Returns the object of a policy in the cluster; `undefined` for a policy from a file, about which no event can be
   * written.
   */
  readonly policyObject: (kind: string, key: string) => JsonObject | undefined;
  /** Returns the object of an exception; `undefined` for one from a file. */
  readonly exceptionObject: (role: ExceptionRole, key: string) => JsonObject | undefined;
  /** Whether successes are events too. */
  readonly successes: boolean;
  /** The cause of the decision; a request when absent. */
  readonly by?: "admission" | "scan";
}

/**
 * The events of a decision, about its policies and the resource. Kyverno parity: their reasons, actions and messages.
 * Pinned by tests/live/events_test.ts.
 */
export function decisionEvents(decision: Decision, context: DecisionContext): PolicyEvent[] {
  const resource = resourceOf(context.request);
  const component = `kyverno-${context.by ?? "admission"}`;
  return decision.results.flatMap(({ policy, rules }) => {
    const object = context.policyObject(policy.kind, policy.key);
    if (object === undefined) return [];
    const regarding = referenceTo(object);
    const isClassic = hasRules(policy.kind);
    return rules.flatMap((rule): PolicyEvent[] => {
      const about = { regarding, related: resource, rule, policy: policy.key, isClassic, component };
      switch (rule.result) {
        case "fail":
          return violation(about, decision);
        case "error":
          return [{
            regarding,
            related: resource,
            reason: "PolicyError",
            action: "None",
            message: `policy ${policy.key}${isClassic ? `/${rule.rule}` : ""} error: ${rule.message}`,
            component,
          }];
        case "skip":
          return skipped(about, context);
        case "pass":
          // Kyverno parity: a scan reports failures alone. Pinned by "events: a scan has no events for successes".
          return context.by !== "scan" && context.successes && decision.allowed ? [applied(about)] : [];
      }
    });
  });
}

interface EventParts {
  readonly regarding: JsonObject;
  readonly related: JsonObject;
  readonly rule: RuleResult;
  readonly policy: string;
  readonly isClassic: boolean;
  readonly component: string;
}

function violation(
  { regarding, related, rule, policy, isClassic, component }: EventParts,
  decision: Decision,
): PolicyEvent[] {
  const blocked = !decision.allowed && component === "kyverno-admission";
  const named = isClassic ? `[${rule.rule}] ` : "";
  const about: PolicyEvent = {
    regarding,
    related,
    reason: "PolicyViolation",
    action: blocked ? "Resource Blocked" : "Resource Passed",
    message: `${textOf(related)}: ${named}fail${blocked ? " (blocked)" : ""}; ${rule.message}`,
    component,
  };
  if (blocked) return [about];
  const name = isClassic ? `${policy}/${rule.rule}` : policy;
  return [about, {
    regarding: related,
    reason: "PolicyViolation",
    action: "Resource Passed",
    message: `policy ${name} fail: ${rule.message}`,
    component,
  }];
}

/** A skipped rule is an event about each exception, and one about the policy. */
function skipped(
  { regarding, related, rule, policy, isClassic, component }: EventParts,
  { exceptionObject }: DecisionContext,
): PolicyEvent[] {
  const exceptions = exceptionsOf(rule);
  if (exceptions === undefined) return [];
  const resource = `resource ${slashed(related)} was skipped from`;
  const shared = { related, reason: "PolicySkipped", action: "Resource Passed", component } as const;
  const ofExceptions = exceptions.flatMap((key): PolicyEvent[] => {
    const object = exceptionObject(isClassic ? "exception" : "cel-exception", key);
    if (object === undefined) return [];
    const name = isClassic ? `policy rule ${policy}/${rule.rule}` : `policy ${policy}`;
    return [{ ...shared, regarding: referenceTo(object), message: `${resource} ${name}` }];
  });
  const name = isClassic ? `rule ${rule.rule}` : `policy ${policy}`;
  const message = `${resource} ${name} due to policy exceptions ${exceptions.join(", ")}`;
  return [...ofExceptions, { ...shared, regarding, message }];
}

function applied({ regarding, related, rule, component }: EventParts): PolicyEvent {
  const mutated = rule.type === "mutate";
  return {
    regarding,
    related,
    reason: "PolicyApplied",
    action: mutated ? "Resource Mutated" : "Resource Passed",
    message: mutated ? `${textOf(related)} is successfully mutated` : `${textOf(related)}: pass`,
    component,
  };
}

/** A reference to the object that a request is about. */
export function resourceOf(
  { group, version, kind, namespace, name, object, oldObject }: PolicyRequest,
): JsonObject {
  const found = object ?? oldObject ?? {};
  return {
    ...referenceTo({ ...found, apiVersion: formatApiVersion({ group, version }), kind }),
    name: nameOf(found) || name,
    ...(namespace !== "" && kind !== "Namespace" && { namespace }),
  };
}

function textOf({ kind, namespace, name }: JsonObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function slashed({ kind, namespace, name }: JsonObject): string {
  return [kind, namespace, name].filter((part) => part !== undefined).join("/");
}
