import { type DigitRuns, isList, type Json, type Stages } from "../json/mod.ts";

/** The values that are looked at in one stage. */
const stageLength = 50_000;

/**
 * Why a parsed body is another value for readers in Go, such as the API server and Kyverno; `undefined` when it is not:
 * they refuse a number beyond the doubles, which is infinite here, and replace half of a surrogate pair. A policy must
 * not be about another object than the one that is stored. The API server sends neither.
 */
export function* unlikeInGo(
  { text, body, digits }: { readonly text: string; readonly body: Json; readonly digits: DigitRuns },
): Stages<string | undefined> {
  // Escaped halves of characters begin so.
  if (!digits.mayBeHuge && !text.includes("\\ud") && !text.includes("\\uD")) return undefined;
  const waiting: Json[] = [body];
  for (let visited = 1; waiting.length > 0; visited++) {
    const value = waiting.pop()!;
    if (value === Infinity || value === -Infinity) return "it has a number that is beyond all doubles";
    if (typeof value === "string" && !value.isWellFormed()) return halfOfPair;
    if (isList(value)) { for (const element of value) waiting.push(element); }
    else if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) {
        if (!name.isWellFormed()) return halfOfPair;
        waiting.push(value[name]!);
      }
    }
    if (visited % stageLength === 0) yield undefined;
  }
  return undefined;
}

const halfOfPair = "it has a text that is not well-formed Unicode";
