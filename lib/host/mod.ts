/**
 * Builds one running gate from ports, policies and listeners. It decides nothing.
 *
 * @module
 */
export { type Gate, openGate } from "./gate.ts";
export type { GateOptions } from "./gate_options.ts";
export { type RecorderOptions, ReviewFiles, type ReviewFilesOptions } from "./review_recorder.ts";
