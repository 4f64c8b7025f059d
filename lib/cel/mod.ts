/**
 * The Common Expression Language over plain JSON values: text is parsed, checked and planned to closures at load, and
 * evaluated within a cost budget. Errors are values. Where Kubernetes and the specification disagree, it follows
 * Kubernetes, unless the environment says otherwise. It does not support protocol buffer messages, wrappers and
 * enumerations, and it has no list types by schema (lists compare by order).
 *
 * @module
 */
export { CelFault, failure, type FaultKind, isCelFault, noSuchOverload, pending } from "./fault.ts";
export {
  type CelEnvironment,
  type CompileResult,
  createEnvironment,
  type EnvironmentOptions,
} from "./environment.ts";
export {
  type Evaluation,
  type EvaluationOptions,
  PER_CALL_LIMIT,
  POLICY_BUDGET,
  type Program,
} from "./program.ts";
export type { ExternalNeed } from "./external_need.ts";
export type { ProgramFacts } from "./program_facts.ts";
export { admissionRequestType, namespaceType } from "./kubernetes_types.ts";
export { celToJson } from "./json.ts";
export type { Activation } from "./plan/mod.ts";
export { type CelError, formatCelError } from "./syntax/mod.ts";
export * from "./types/mod.ts";
export * from "./values/mod.ts";
export {
  type AccessSubject,
  Authorizer,
  authorizerType,
  imageVerifyLibrary,
  kubernetesLibraries,
  kyvernoLibraries,
  kyvernoLibrariesFor,
  type KyvernoLibraryOptions,
  type Library,
  mutatingLibraries,
  orValueLibrary,
  type ResourceAttributes,
  type ResourceCheck,
  resourceCheckType,
  type Result,
  specificationLibraries,
  subjectOf,
} from "./libraries/mod.ts";
export {
  type AccessRequest,
  accessReviewCall,
  type ApiRequest,
  type ExternalCalls,
  type ExternalReply,
  type ExternalRequest,
  type GlobalRequest,
  type HttpRequest,
  type ImageCheckRequest,
  type ImageRequest,
  requestKey,
  type TypeRequest,
} from "./external_calls.ts";
