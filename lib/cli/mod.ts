/**
 * The command line. Each command has one file and uses the same engine as the server.
 *
 * A file in `commands/` declares a command with its options and examples, from which the help, the completion and the
 * documentation are made. The command's work is in the file or folder of the same name beside `commands/`.
 *
 * @module
 */
export { ObjectFiles } from "./output.ts";
export { run } from "./program.ts";
