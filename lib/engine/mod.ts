/**
 * The engine: {@link compile} makes a snapshot of policy documents, {@link evaluate} decides one request. Only its
 * ports do I/O. It never throws, whatever a policy or request contains, and never waits when no external value is
 * needed.
 *
 * `policy_compiler.ts` compiles documents, `compile_rule.ts` one rule of a classic policy. `evaluate.ts` runs a phase,
 * `policy_run.ts` the rules of one policy, `evaluate_rule.ts` the steps of one rule: match, preconditions, exceptions,
 * body. `decide.ts` makes the decision from the results. `plan/` prepares policies for the types of requests, so that
 * frequent requests evaluate less.
 *
 * @module
 */
export type { PolicyQuery } from "./plan/policy_selection.ts";
export { changesOtherObjects, type CompiledPolicy, type CompiledRule } from "./compiled.ts";
export {
  type Decision,
  type DenyingResult,
  isDeniedByMutation,
  isFailOrError,
  type PolicyIdentity,
  type PolicyResult,
  replaced,
  type RuleResult,
} from "./decision.ts";
export type { Effect } from "../rules/mod.ts";
export { celExceptionProblems, exceptionProblems } from "./exception_problems.ts";
export { areConstant } from "./plan/constant_results.ts";
export { withRequiredImages } from "./required_images.ts";
export { decideReview, type ReviewDecisions } from "./decide_review.ts";
export { evaluate, type EvaluateOptions } from "./evaluate.ts";
export {
  type CompiledJsonPolicy,
  type JsonResult,
  payloadItems,
  preprocess,
  scanInSteps,
  scanPayload,
  type ScanPorts,
} from "./json_policies.ts";
export type { Operation } from "../kube/mod.ts";
export { nobody, type PolicyRequest, type Requester } from "./request.ts";
export type { Background, GivenValues } from "./request_view.ts";
export { customParent, type ParentResource, withParentKind } from "./parent_kinds.ts";
export { policyRequest } from "./review_request.ts";
export { rolesOf } from "./roles.ts";
export type { RuleWatch } from "./rule_watch.ts";
export { commandOptions, compile, type CompileOptions, PolicyCompiler } from "./policy_compiler.ts";
export { readsImages } from "./needed_images.ts";
export { restrict, type Snapshot } from "./snapshot.ts";
export { isOfPhase, isOfWebhook, type Phase, type WebhookPhase } from "./phase.ts";
export { withdrawsOnDeletion } from "./trigger_deletion.ts";
export { type EntryTrace, type RuleTrace, Trace, type TraceStep } from "./trace.ts";
