/**
 * The webhook as a Hono app: a factory that is given its policies, ports, log and metrics. It opens no port and reads
 * no file; the command line does. {@link bundledHandler} is the same app for one file that holds its policies.
 *
 * @module
 */
export { type AppOptions, createApp } from "./app.ts";
export { AuditQueue } from "./audit.ts";
export { bundledHandler, type BundledPolicies, type FetchHandler } from "./bundled.ts";
export { compileFilters, type FilterConfig } from "./filters.ts";
export { Metrics } from "./metrics.ts";
export { policyRequest } from "./review.ts";
export { environmentSettings, type Settings } from "./settings.ts";
