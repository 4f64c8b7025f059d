import { RE2JS } from "re2js";
import { BoundedCache } from "../json/mod.ts";
import { CelFault, failure } from "./fault.ts";

/** Compiled regular expressions. Policies' own are read often and stay; those from resources are evicted. */
const compiled = new BoundedCache<RE2JS | CelFault>(500);

/**
 * Compiles an RE2 regular expression, once for each text. Native ones are never used: they can backtrack without end.
 */
export function compilePattern(pattern: string): RE2JS | CelFault {
  return compiled.getOrMake(pattern, () => {
    try {
      return RE2JS.compile(pattern);
    } catch (cause) {
      // The library's messages are Go's: `error parsing regexp: …`.
      return failure(cause instanceof Error ? cause.message : String(cause));
    }
  });
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
