import { type Fault, isList, isString, parseJson } from "../../json/mod.ts";
import { compileWildcard, hasWildcard, wildcardSteps } from "../../kube/mod.ts";
import { goText, itemOf, type Sourced } from "../go_value.ts";
import { tooLong } from "./list_bound.ts";
import { tooManySteps } from "./wildcards.ts";

/** A set of texts in which keys are searched, with wildcards on both sides. */
export class Members {
  readonly #texts: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #patterns: readonly ((text: string) => boolean)[];
  readonly #size: number;
  /** The steps of all patterns for each character of a key. */
  readonly #steps: number;

  constructor(texts: readonly string[]) {
    const patterns = texts.filter(hasWildcard);
    this.#texts = texts;
    this.#exact = new Set(texts);
    this.#patterns = patterns.map(compileWildcard);
    this.#size = totalLength(texts);
    this.#steps = patterns.reduce((sum, pattern) => sum + wildcardSteps(pattern), 0);
  }

  /** Whether the key is a member, as it is and without wildcards. */
  hasExactly(key: string): boolean {
    return this.#exact.has(key);
  }

  /** Whether a member matches the key as a pattern, or the key as a pattern matches a member. */
  has(key: string): boolean {
    if (this.hasExactly(key)) return true;
    for (const matches of this.#patterns) if (matches(key)) return true;
    return hasWildcard(key) && this.#texts.some(compileWildcard(key));
  }

  /** A fault when searching for the keys would take too long, which only hostile texts on both sides do. */
  refuses(keys: readonly string[]): Fault | undefined {
    let steps = 0;
    for (const key of keys) {
      steps += (key.length + stepsOfTrial) * this.#steps +
        (hasWildcard(key) ? wildcardSteps(key) * this.#size : 0);
    }
    return tooManySteps(steps);
  }
}

/** The steps of comparing a text with a pattern, besides those for its characters. */
const stepsOfTrial = 3;

function totalLength(texts: readonly string[]): number {
  let sum = 0;
  for (const text of texts) sum += text.length + stepsOfTrial;
  return sum;
}

/** The texts of a list's elements, in Go's form. */
export function textsOf({ value, source }: Sourced): readonly string[] {
  if (!isList(value)) return [];
  if (value.every(isString)) return value;
  return value.map((item, index) => goText(item, itemOf(source, index)));
}

/**
 * The texts in a string that holds a JSON list of strings; `"other"` for other JSON, `undefined` for a string that is
 * not JSON, a fault for a list that is too long. Kyverno parity: null counts as an empty list and, inside a list, as
 * an empty string. Pinned by tests/condition/operators_test.ts.
 */
export function jsonTexts(text: string): readonly string[] | "other" | Fault | undefined {
  if (!/^[\s[{"0-9tfn-]/.test(text)) return undefined;
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  if (parsed === null) return [];
  if (!isList(parsed)) return "other";
  const problem = tooLong(parsed);
  if (problem !== undefined) return problem;
  const texts = parsed.map((item) => item ?? "");
  return texts.every(isString) ? texts : "other";
}
