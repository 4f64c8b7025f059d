import { Fault } from "../../json/mod.ts";
import { compileWildcard, hasWildcard, wildcardSteps } from "../../kube/mod.ts";

/**
 * The most steps of one comparison, which take a tenth of a second. No policy comes near it. A request that
 * supplies both patterns and texts, as the values of two annotations, must not delay other requests.
 */
const maxSteps = 1e7;

/** A fault when comparing patterns and texts could take more steps. */
export function tooManySteps(steps: number): Fault | undefined {
  if (steps <= maxSteps) return undefined;
  return new Fault("a condition compares texts with wildcards that are too long or too many");
}

/** Compares texts with a pattern: `*` is any run of characters, `?` exactly one. */
export function wildcardTest(pattern: string): (text: string) => boolean | Fault {
  if (!hasWildcard(pattern)) return (text) => text === pattern;
  const matches = compileWildcard(pattern), steps = wildcardSteps(pattern);
  return (text) => tooManySteps(steps * text.length) ?? matches(text);
}
