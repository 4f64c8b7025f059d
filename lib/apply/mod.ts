/**
 * Applies policies to objects in files, without a cluster: documents become requests, values files and user
 * information replace the cluster's answers, and each object is evaluated as by Kyverno's command line.
 *
 * @module
 */
export { type Applied, type AppliedStep, type ApplyOptions, applyPolicies, type Output } from "./apply.ts";
export { Cleanups, isCleanupKind } from "./cleanups.ts";
export type { DecideOptions } from "./decide.ts";
export { openList, readUser } from "./documents.ts";
export { isException, notAnException, unusedException } from "./exception_documents.ts";
export { faultyPolicies } from "./faulty_policies.ts";
export {
  checkAnswers,
  checkContext,
  checkUser,
  checkValues,
  duplicateKeys,
  type GivenDocument,
} from "./given_document.ts";
export { manifestObjects } from "./manifest_objects.ts";
export { documentObjects, type GivenObject } from "./objects.ts";
export { type GivenUser, resourceRequest, withNamespace } from "./resource_request.ts";
export {
  identityOf,
  identityText,
  isNamed,
  isSameObject,
  isSpecified,
  type ObjectIdentity,
} from "./object_identity.ts";
export { MissingInputs } from "./missing_inputs.ts";
export { Tally } from "./tally.ts";
export { ignoredOperations } from "./ignored_operations.ts";
export { withSetValues } from "./set_values.ts";
export { noValues, readValues, type Values, withOperation } from "./values.ts";
