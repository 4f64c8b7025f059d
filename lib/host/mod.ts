/**
 * One running gate put together: ports, listener, and the handler of bundles. It chooses parts and decides nothing.
 *
 * @module
 */
export { bundledHandler, type BundledPolicies, type BundleRuntime, type FetchHandler } from "./bundled.ts";
export { type Gate, openGate } from "./gate.ts";
export type { GateOptions } from "./gate_options.ts";
export { openPorts } from "./ports.ts";
export { type RecorderOptions, ReviewFiles, type ReviewFilesOptions } from "./review_recorder.ts";
export { environmentSettings, type Settings, writeLogLine } from "./settings.ts";
