/**
 * Postern as a library: Kyverno's policies, decided in any JavaScript runtime.
 *
 * ```ts
 * import { admissionResponse, evaluate, loadPolicies } from "@postern/postern";
 * import assert from "node:assert/strict";
 *
 * const { policies, diagnostics } = loadPolicies(`
 * apiVersion: kyverno.io/v1
 * kind: ClusterPolicy
 * metadata: { name: require-team }
 * spec:
 *   validationFailureAction: Enforce
 *   rules:
 *   - name: team
 *     match: { any: [{ resources: { kinds: [Pod] } }] }
 *     validate:
 *       message: the label team is required
 *       pattern: { metadata: { labels: { team: "?*" } } }
 * `);
 * assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
 *
 * const review = {
 *   apiVersion: "admission.k8s.io/v1",
 *   kind: "AdmissionReview",
 *   request: {
 *     uid: "1",
 *     kind: { group: "", version: "v1", kind: "Pod" },
 *     resource: { group: "", version: "v1", resource: "pods" },
 *     namespace: "default",
 *     name: "web",
 *     operation: "CREATE",
 *     userInfo: { username: "ann", groups: [] },
 *     object: { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers: [] } },
 *   },
 * };
 * const decision = await evaluate(policies, review);
 * const response = admissionResponse(decision);
 * assert.equal(response.allowed, false);
 * assert.match(response.status!.message, /the label team is required/);
 * ```
 *
 * Policies are compiled once and serve any number of evaluations. Without ports everything is **offline**: a policy
 * that looks something up (an API call, an image, the labels of a namespace) gets an error that says so, and its
 * `failurePolicy` decides. Give `evaluate` the ports that your runtime has.
 *
 * @module
 */
export {
  admissionResponse,
  type DecidedReview,
  evaluate,
  type EvaluateReviewOptions,
  loadPolicies,
  type LoadPoliciesOptions,
  offlinePorts,
  type PoliciesOfText,
  type PolicyText,
  type ReviewDecision,
  type UnreadableReview,
} from "./lib/library/mod.ts";
export { type Diagnostic, type DiagnosticCode, formatDiagnostic } from "./lib/diagnostics/mod.ts";
export type { Decision, DenyingResult, PolicyResult, RuleResult, Snapshot } from "./lib/engine/mod.ts";
export type { Json, JsonObject } from "./lib/json/mod.ts";
export type * from "./lib/ports.ts";
export { type AdmissionResponse, admissionReview } from "./lib/report/mod.ts";
