import { Fault } from "../../json/mod.ts";
import { compileWildcard, hasWildcard } from "../../kube/mod.ts";

/**
 * The most work of one comparison: characters of the patterns times characters of the texts. No policy comes near it; a
 * request that supplies both, as the values of two annotations, must not delay other requests.
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
