/**
 * The webhook as a Hono app over policies, ports, log and metrics. It opens no port and reads no file; `lib/host`
 * does.
 *
 * ```ts
 * import { loadPolicies, offlinePorts } from "@postern/postern";
 * import { createApp, Metrics } from "@postern/postern/server";
 * import assert from "node:assert/strict";
 *
 * const { policies } = loadPolicies("");
 * const app = createApp({
 *   snapshot: () => policies,
 *   ports: offlinePorts(),
 *   log: { write: () => {} },
 *   metrics: new Metrics(),
 * });
 * const answer = await app.fetch(new Request("http://localhost/health/readiness"));
 * assert.equal(await answer.text(), "ok");
 * ```
 *
 * @module
 */
export { createApp } from "./app.ts";
export type { AppOptions } from "./app_options.ts";
export { AuditQueue } from "./audit.ts";
export { ParentKinds } from "./parent_kind.ts";
export { compileFilters, type FilterConfig } from "./filters.ts";
export { dashboard } from "./metrics/dashboard.ts";
export { ClusterMetrics } from "./metrics/cluster_metrics.ts";
export { Metrics } from "./metrics/metrics.ts";
export type { RuleTime } from "./metrics/rule_times.ts";
export { type AnsweredReview, recordedRoute, reviewRecord, type ReviewRecorder } from "./recording.ts";
export { type ReadRequest, type ReviewAnswer, Reviews } from "./reviews.ts";
export { secretPathProblem } from "./secret_path.ts";
export type { EvaluationSpans, TracedEvaluation, Tracing } from "./tracing.ts";
export { answerTimeOf, type Route } from "./review_route.ts";
