/**
 * Expressions of admission policies: the variables of a request, variables that are evaluated when they are read,
 * conditions, validations, audit annotations, parameters, and the external calls of functions. Used by `validate.cel`
 * and by the kinds of policies that are written in CEL.
 *
 * @module
 */
export { type AuditAnnotations, compileAuditAnnotations } from "./audit_annotations.ts";
export { authorizerVariables } from "./authorizer.ts";
export { CelEvaluation } from "./evaluation.ts";
export { ExpressionSet, type ExpressionSetOptions, type UnusableText, wanted } from "./expressions.ts";
export { type Generate, requestHost } from "./request_calls.ts";
export {
  compileMatchConditions,
  kubernetesTexts,
  kyvernoTexts,
  type MatchConditions,
} from "./match_conditions.ts";
export {
  collectParameters,
  parameterNeed,
  parameterProblems,
  type ParameterSource,
  parameterSource,
} from "./parameters.ts";
export { admissionRoots, admissionVariables, kyvernoVariables, requestNamespace } from "./roots.ts";
export { ruleEnvironment } from "./rule_environment.ts";
export { type ObjectTypes, type TypeProblem, typeProblems } from "./rule_types.ts";
export { apiServerEvaluates, compileWebhookConditions } from "./webhook_conditions.ts";
export { compileValidations, type ValidationVerdict } from "./validations.ts";
export { orValueLibrary } from "../../cel/mod.ts";

export { resourcesRead, typesRead } from "./needs.ts";
