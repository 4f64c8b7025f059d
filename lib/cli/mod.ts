/**
 * The command line: one file a command, over the same engine as the server.
 *
 * @module
 */
export { writeOutputs } from "./output.ts";
export { run } from "./program.ts";
