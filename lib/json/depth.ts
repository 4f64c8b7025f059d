import { endOfString } from "./string_end.ts";

/** The deepest nesting of JSON that is parsed here: no recursive walk of such a value exhausts the stack. */
export const maxJsonDepth = 1_000;

/**
 * Whether JSON text nests deeper than a limit. Check text from outside before it is parsed: the code after the parser
 * walks values recursively, and a few kilobytes of `[` would exhaust the stack.
 *
 * ```ts
 * import { nestsDeeperThan } from "./depth.ts";
 * import assert from "node:assert/strict";
 * assert.equal(nestsDeeperThan(2, '{"a":[1,"[[["]}'), false);
 * assert.equal(nestsDeeperThan(2, "[[[]]]"), true);
 * ```
 */
export function nestsDeeperThan(limit: number, text: string): boolean {
  return mayNestDeeperThan(limit, text) && doesNestDeeperThan(limit, text);
}

/**
 * Whether the text has enough brackets at all, those in strings included. Nearly every text has too few, and the
 * search ends here. `indexOf` is fast because it uses vector instructions; a loop over the characters is not.
 */
function mayNestDeeperThan(limit: number, text: string): boolean {
  let brackets = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++brackets > limit) return true;
    }
  }
  return false;
}

function doesNestDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limit) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}
