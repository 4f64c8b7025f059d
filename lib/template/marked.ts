/**
 * Replaces each outermost `{{ … }}` of a text by a mark, for callers that parse the text around variables. A variable
 * may contain anything, including variables. Text with unpaired braces does not change.
 *
 * ```ts
 * import { markVariables } from "./marked.ts";
 * import assert from "node:assert/strict";
 * assert.equal(markVariables("/a/{{ x.{{ y }} }}/b", "*"), "/a/*\/b");
 * assert.equal(markVariables("/a/{{ x", "*"), "/a/{{ x");
 * ```
 */
export function markVariables(text: string, mark: string): string {
  let result = "", depth = 0;
  for (let at = 0; at < text.length; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === "{{") {
      if (depth++ === 0) result += mark;
      at++;
    } else if (pair === "}}" && depth > 0) {
      depth--;
      at++;
    } else if (depth === 0) result += text[at];
  }
  return depth === 0 ? result : text;
}
