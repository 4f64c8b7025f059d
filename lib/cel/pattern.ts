import { RE2JS } from "re2js";
import { CelFault, failure } from "./fault.ts";

/** Compiled regular expressions. Those of policies stay in the cache, those from resources are evicted. */
const compiled = new Map<string, RE2JS | CelFault>();
const MAX_PATTERNS = 500;

/**
 * Compiles an RE2 regular expression, once for each text. Native ones are never used: they can backtrack without end.
 */
export function compilePattern(pattern: string): RE2JS | CelFault {
  let result = compiled.get(pattern);
  if (result === undefined) {
    try {
      result = RE2JS.compile(pattern);
    } catch (cause) {
      // The library's messages are Go's: `error parsing regexp: …`.
      result = failure(cause instanceof Error ? cause.message : String(cause));
    }
    if (compiled.size >= MAX_PATTERNS) compiled.clear();
    compiled.set(pattern, result);
  }
  return result;
}

/** Whether the text is a pattern. */
export function isPattern(pattern: string): boolean {
  return !(compilePattern(pattern) instanceof CelFault);
}

/** Whether the pattern is found anywhere in the text, or the error when it is none. */
export function matchesPattern(text: string, pattern: string): boolean | CelFault {
  const expression = compilePattern(pattern);
  return expression instanceof CelFault ? expression : expression.matcher(text).find();
}
