import { asString, type JsonObject } from "../json/mod.ts";
import type { Policy, Rule } from "../policy/mod.ts";
import type { CelBody } from "./validate_cel.ts";

/** The specs of a ValidatingAdmissionPolicy and of its binding; the binding's lacks the name of the policy. */
export interface CelRuleSpecs {
  readonly spec: JsonObject;
  readonly binding: JsonObject;
}

/** A rule with `validate.cel` as a ValidatingAdmissionPolicy with a binding, which the API server enforces itself. */
export function celRuleSpecs(
  policy: Policy,
  rule: Rule & { readonly body: CelBody },
  matchConstraints: JsonObject,
): CelRuleSpecs {
  const { paramKind, paramRef, variables, expressions, auditAnnotations } = rule.body;
  const conditions = [...policy.matchConditions, ...rule.celPreconditions];
  // A validation without a message has the rule's message.
  const message = asString(rule.body.message) ?? "";
  const action = rule.failureAction ?? policy.failureAction;
  return {
    spec: {
      failurePolicy: policy.failurePolicy,
      ...(paramKind !== undefined && { paramKind }),
      matchConstraints,
      ...(conditions.length > 0 && { matchConditions: conditions }),
      ...(variables.length > 0 && { variables: variables.map((variable) => ({ ...variable })) }),
      validations: expressions.map((entry) =>
        message === "" || asString(entry["message"]) ? entry : { ...entry, message }
      ),
      ...(auditAnnotations.length > 0 && { auditAnnotations: [...auditAnnotations] }),
    },
    binding: {
      ...(paramRef !== undefined && { paramRef }),
      validationActions: action === "Enforce" ? ["Deny"] : ["Audit", "Warn"],
    },
  };
}
