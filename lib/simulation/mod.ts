/**
 * Evaluates policies for given objects and explains each result, for playgrounds, editors and reviews. Input is text
 * and output is plain data. A simulation calls no cluster, registry or service. It decides objects as `postern apply`
 * and `postern test` do, and AdmissionReviews as the webhooks do.
 *
 * Not supported: signatures of images, and services without a given answer.
 *
 * ```ts
 * import { noTexts, simulation } from "@postern/postern/simulation";
 * import assert from "node:assert/strict";
 *
 * const { diagnostics, inputs, outcome } = simulation({
 *   ...noTexts,
 *   policies: `
 * apiVersion: kyverno.io/v1
 * kind: ClusterPolicy
 * metadata: { name: require-team }
 * spec:
 *   validationFailureAction: Enforce
 *   rules:
 *   - name: team
 *     match: { any: [{ resources: { kinds: [ConfigMap] } }] }
 *     validate: { message: name your team, pattern: { metadata: { labels: { team: "?*" } } } }`,
 *   resources: `{ apiVersion: v1, kind: ConfigMap, metadata: { name: settings } }`,
 * });
 * assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
 * assert.equal(inputs.length, 1);
 * const { allowed, rules, kubectl } = await outcome(0);
 * assert.equal(allowed, false);
 * assert.equal(rules[0]?.results[0]?.path, "/metadata/labels/");
 * assert.match(kubectl ?? "", /^Error from server: .*denied the request/);
 * ```
 *
 * @module
 */
export type { ObservedLookup } from "./lookups.ts";
export {
  type ChangedTarget,
  type InputOutcome,
  type InputSummary,
  type OutcomeCounts,
  summaryOf,
} from "./outcome.ts";
export type { FailedValue, Plain, ReportedRuleResult, ReportedViolation, RuleReport } from "./rule_report.ts";
export { type Simulation, simulation } from "./simulation.ts";
export type { InputName } from "./input.ts";
export { noTexts, type SimulationOptions, type SimulationTexts, type TextName } from "./texts.ts";
