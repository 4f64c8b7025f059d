/**
 * The Common Expression Language over plain JSON values. Text is parsed, checked and planned to closures at load, and
 * evaluated within a cost budget. Errors are values. Where Kubernetes and the specification disagree, it follows
 * Kubernetes, unless the environment says otherwise. It does not support protocol buffer messages, wrappers and
 * enumerations, and it has no list types by schema (lists compare by order).
 *
 * `syntax/` parses text and expands macros, `check/` determines types and overloads, `plan/` makes closures.
 * `libraries/` has the functions, one file for each of Kubernetes' and Kyverno's libraries; those that read from
 * outside make the requests of `external_calls.ts`, which the caller answers.
 *
 * ```ts
 * import { celToJson, createEnvironment, dynType, kubernetesLibraries } from "@postern/postern/cel";
 * import assert from "node:assert/strict";
 *
 * const environment = createEnvironment({ variables: { object: dynType }, libraries: kubernetesLibraries });
 * const compiled = environment.compile("object.spec.replicas > 2 && object.metadata.name.find('[0-9]+') == '42'");
 * assert(compiled.ok);
 * const object = { metadata: { name: "web-42" }, spec: { replicas: 3 } };
 * const value = compiled.program.evaluate((name) => name === "object" ? object : undefined);
 * assert.equal(celToJson(value), true);
 *
 * const wrong = environment.compile("object.spec.replicas >");
 * assert(!wrong.ok && wrong.errors.length > 0);
 * ```
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
export { newWorkBudget, type WorkBudget } from "./work.ts";
export type { ExternalNeed } from "./external_need.ts";
export type { ProgramFacts } from "./program_facts.ts";
export { admissionRequestType, namespaceType } from "./kubernetes_types.ts";
export { type ReferredSchema, schemaType } from "./schema_type.ts";
export type { CelOutline } from "./outline.ts";
export { celToJson } from "./json.ts";
export { withDoubles } from "./libraries/json_value.ts";
export type { Activation } from "./plan/mod.ts";
export { type CelError, formatCelError } from "./syntax/mod.ts";
export * from "./types/mod.ts";
export * from "./values/mod.ts";
export {
  type AccessUser,
  accessUserOf,
  Authorizer,
  authorizerType,
  goQuote,
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
  separableLibraries,
  specificationLibraries,
  standardLibrary,
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
