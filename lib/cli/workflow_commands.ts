/**
 * The starts of lines that a pipeline would take for its commands: `::stop-commands::` and `##[add-mask]` in workflows
 * of GitHub, `##vso[` in those of Azure.
 */
const starts = /(?<![\r\n])[\r\n]+(?=[^\S\r\n]*::)|^(?=\s*::)|##(?=(?:vso)?\[)/g;

/**
 * A text that a pipeline takes for no command. Names of files and messages about objects are those of whoever sends a
 * change, who could hide the annotations of failures.
 *
 * ```ts
 * import { withoutCommands } from "./workflow_commands.ts";
 * import assert from "node:assert/strict";
 * assert.equal(withoutCommands("pods\n::stop-commands::x.yaml:1:1: error"), "pods\\n::stop-commands::x.yaml:1:1: error");
 * ```
 */
export function withoutCommands(text: string): string {
  return text.replace(starts, (start) => start === "" ? "./" : start === "##" ? "# #" : "\\n");
}
