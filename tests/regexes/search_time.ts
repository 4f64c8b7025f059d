import { Alphabet, attacksOn } from "./attacks.ts";
import { makeAutomaton } from "./automaton.ts";
import { parsePattern } from "./pattern.ts";

/** A text on which a search takes more than linear time. */
export interface SlowText {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
  readonly characters: number;
  readonly milliseconds: number;
}

/**
 * Milliseconds that a search may take in about 10,000 characters. A linear one takes less than a tenth of one, a
 * quadratic one at least fifty.
 */
const mostMilliseconds = 20;

/** From sizes at which an exponential search ends to those at which a quadratic one is slow. */
const sizes = [8, 12, 16, 20, 24, 28, 32, 40, 100, 400, 1_000, 4_000, 10_000];

/** A text that a regular expression searches in more than linear time, if there is one. */
export function slowTextFor(expression: RegExp, isRepeated = expression.global): SlowText | undefined {
  const { source, flags } = expression;
  const patterns = [parsePattern(source, flags)];
  // A boundary of a word is passed in an attack if a character of no word stands there.
  if (source.includes("\\b")) patterns.push(parsePattern(source, flags, { kind: "atom", source: "\\W" }));
  for (const automaton of patterns.map(makeAutomaton)) {
    const alphabet = new Alphabet(automaton, flags);
    const ends = ["", ...alphabet.characters];
    const tails = new Set([...ends, ...ends.flatMap((one) => ends.map((other) => one + other))]);
    const attacks = [...attacksOn(automaton, alphabet)];
    for (const attack of new Map(attacks.map((each) => [JSON.stringify(each), each])).values()) {
      for (const tail of tails) {
        for (const first of ends) {
          const slow = slowest(expression, {
            head: first + attack.head,
            pump: attack.pump,
            tail,
            isRepeated,
          });
          if (slow !== undefined) return slow;
        }
      }
    }
  }
  return undefined;
}

function slowest(
  expression: RegExp,
  { head, pump, tail, isRepeated }: { head: string; pump: string; tail: string; isRepeated: boolean },
): SlowText | undefined {
  // A search begins once for each pump, so longer ones need a longer text to be as slow.
  const factor = Math.sqrt(pump.length);
  for (const size of sizes) {
    const text = head + pump.repeat(Math.ceil(size * factor / pump.length)) + tail;
    let milliseconds = Infinity;
    // The quickest of several runs, as the machine may be busy.
    for (let run = 0; run < 4 && milliseconds > mostMilliseconds; run++) {
      milliseconds = Math.min(milliseconds, searchTime(expression, text, isRepeated));
    }
    if (milliseconds > mostMilliseconds) {
      return { head, pump, tail, characters: text.length, milliseconds: Math.round(milliseconds) };
    }
  }
  return undefined;
}

function searchTime(expression: RegExp, text: string, isRepeated: boolean): number {
  const search = new RegExp(
    expression.source,
    expression.flags + (isRepeated && !expression.global ? "g" : ""),
  );
  const begin = performance.now();
  if (search.global) text.replace(search, "");
  // A tokenizer goes on behind each match.
  else if (search.sticky) { while (search.test(text) && search.lastIndex < text.length); }
  else search.test(text);
  return performance.now() - begin;
}
