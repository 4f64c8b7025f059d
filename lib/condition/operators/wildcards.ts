import { Fault } from "../../json/mod.ts";
import { compileWildcard, hasWildcard } from "../../kube/mod.ts";

/**
 * Characters of patterns times characters of texts that one comparison may cost. No policy comes near; a request that
 * brings both, as values of two annotations, must not hold up the others.
 */
const maxWork = 1e9;

/** A fault when comparing patterns and texts of so many characters could take too long. */
export function tooMuchWork(work: number): Fault | undefined {
  if (work <= maxWork) return undefined;
  return new Fault("a condition compares texts with wildcards that are too long or too many");
}

/** Compares texts with a pattern: `*` is any run of characters, `?` exactly one. */
export function wildcardTest(pattern: string): (text: string) => boolean | Fault {
  if (!hasWildcard(pattern)) return (text) => text === pattern;
  const matches = compileWildcard(pattern);
  return (text) => tooMuchWork(pattern.length * text.length) ?? matches(text);
}
