/**
 * The command line: one file a command, over the same engine as the server.
 *
 * @module
 */
export { ObjectFiles } from "./output.ts";
export { run } from "./program.ts";
