import type { Result } from "../libraries/library.ts";
import { longText, workOfCharacter } from "../work.ts";

/** The nanoseconds of work for each element that a call made. A byte counts as a character. */
const perElement = 50;

/**
 * Whether the result of a call is too small for {@link workOfResult} to count: neither an object nor a long text. Most
 * results are.
 */
export function isSmall(result: Result): boolean {
  return typeof result === "string"
    ? result.length <= longText
    : typeof result !== "object" || result === null;
}

/**
 * The work of what a call made, besides its cost: Kubernetes' cost for a text of a megabyte is a hundredth of the
 * budget or nothing, but a hundred of them, one for each element of a list, take the memory of a replica. Together
 * all calls of an evaluation make at most 20 MB of text or 5,000,000 elements. An argument that the call returned
 * counts for nothing; other objects, such as URLs, count as the texts that they were made of.
 */
export function workOfResult(result: Result, args: readonly Result[]): number {
  if (typeof result === "string") return result.length * workOfCharacter;
  if (typeof result !== "object" || result === null || args.includes(result)) return 0;
  if (Array.isArray(result)) return result.length * perElement;
  if (result instanceof Uint8Array) return result.length * workOfCharacter;
  let characters = 0;
  for (const argument of args) if (typeof argument === "string") characters += argument.length;
  return characters * workOfCharacter;
}
