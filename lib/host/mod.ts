/**
 * One running gate put together: ports and listener. It chooses parts and decides nothing.
 *
 * @module
 */
export { type Gate, openGate } from "./gate.ts";
export type { GateOptions } from "./gate_options.ts";
export { type ImageLookup, readImageFiles } from "./image_ports.ts";
export { openPorts } from "./ports.ts";
export { type RecorderOptions, ReviewFiles, type ReviewFilesOptions } from "./review_recorder.ts";
