/**
 * The command line. Each command has one file and uses the same engine as the server.
 *
 * @module
 */
export { ObjectFiles } from "./output.ts";
export { run } from "./program.ts";
