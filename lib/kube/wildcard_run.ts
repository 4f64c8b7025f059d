import { mostShort, questionMark, ShortRun } from "./short_run.ts";

/** Bits of a word of positions. */
const bitsOfWord = 32;

/** The positions at which a run is compared before it is searched. */
const fewTries = 16;

/**
 * The number of words for the positions of a pattern's longest run between stars. The search for a run takes as many
 * steps for each character.
 */
export function mostWordsOf(pattern: string): number {
  let longest = 1;
  for (let from = 0; from <= pattern.length;) {
    const star = pattern.indexOf("*", from), end = star < 0 ? pattern.length : star;
    longest = Math.max(longest, end - from);
    from = end + 1;
  }
  return Math.ceil(longest / bitsOfWord);
}

/**
 * A part of a wildcard pattern between two stars. Its character `?` matches any character. The search uses one bit for
 * each position of the run (Baeza-Yates and Gonnet's Shift-And): it reads every character of the text once and takes
 * {@link mostWordsOf} steps for it.
 */
export class WildcardRun {
  readonly #wanted: readonly number[];
  #positions: Positions | undefined;
  /** The search, if the run is short. */
  #short: ShortRun | undefined;

  constructor(run: string) {
    const wanted: number[] = [];
    for (let at = 0; at < run.length; at += width(wanted.at(-1)!)) wanted.push(run.codePointAt(at)!);
    this.#wanted = wanted;
  }

  /** The end of the run in the text if the run matches at the given position; -1 if it does not. */
  endAt(text: string, from: number): number {
    let at = from;
    for (const wanted of this.#wanted) {
      if (at >= text.length) return -1;
      const found = text.codePointAt(at)!;
      if (wanted !== questionMark && wanted !== found) return -1;
      at += width(found);
    }
    return at;
  }

  /** The position that is as many characters before `end` as the run has; -1 if there are fewer. */
  startBefore(text: string, end: number): number {
    let at = end;
    for (let left = this.#wanted.length; left > 0; left--) {
      if (at <= 0) return -1;
      at -= isPair(text, at - 2) ? 2 : 1;
    }
    return at;
  }

  /** The end of the first match of the run at or after a position of the text; -1 if there is none. */
  endAfter(text: string, from: number): number {
    if (text.length - from < this.#wanted.length) return -1;
    if (this.#wanted.length > 0 && this.#wanted.length <= mostShort) {
      // Making a search takes longer than some comparisons.
      let at = from;
      for (let tries = 0; this.#short === undefined && tries < fewTries && at < text.length; tries++) {
        const end = this.endAt(text, at);
        if (end >= 0) return end;
        at += width(text.codePointAt(at)!);
      }
      this.#short ??= new ShortRun(this.#wanted);
      return this.#short.endAfter(text, at);
    }
    const positions = this.#positions ??= new Positions(this.#wanted);
    const last = this.#wanted.length - 1, lastWord = last >>> 5, lastBit = 1 << (last & (bitsOfWord - 1));
    // Bit n is set if the last characters of the text so far match the run up to position n.
    const reached = new Uint32Array(lastWord + 1);
    for (let at = from; at < text.length;) {
      const found = text.codePointAt(at)!, possible = positions.of(found);
      let carried = 1;
      for (let word = 0; word < reached.length; word++) {
        const bits = reached[word]!;
        reached[word] = ((bits << 1) | carried) & possible[word]!;
        carried = bits >>> (bitsOfWord - 1);
      }
      at += width(found);
      if ((reached[lastWord]! & lastBit) !== 0) return at;
    }
    return -1;
  }
}

/** For each character, the positions of the run that match it, one bit for each position. */
class Positions {
  /** The positions that match any character. */
  readonly #anywhere: Uint32Array;
  /** The bits of characters at many positions. Characters at few positions may be as many as the run is long. */
  readonly #bits = new Map<number, Uint32Array>();
  readonly #few = new Map<number, readonly number[]>();
  readonly #scratch: Uint32Array;

  constructor(wanted: readonly number[]) {
    const words = Math.ceil(wanted.length / bitsOfWord);
    this.#anywhere = new Uint32Array(words);
    this.#scratch = new Uint32Array(words);
    const positions = new Map<number, number[]>();
    wanted.forEach((character, index) => {
      const found = positions.get(character);
      if (character === questionMark) setBit(this.#anywhere, index);
      else if (found === undefined) positions.set(character, [index]);
      else found.push(index);
    });
    for (const [character, indices] of positions) {
      if (indices.length < words) this.#few.set(character, indices);
      else this.#bits.set(character, withBits(this.#anywhere.slice(), indices));
    }
  }

  /** The positions that match the character. The result is valid until the next call. */
  of(character: number): Uint32Array {
    const bits = this.#bits.get(character);
    if (bits !== undefined) return bits;
    const few = this.#few.get(character);
    if (few === undefined) return this.#anywhere;
    this.#scratch.set(this.#anywhere);
    return withBits(this.#scratch, few);
  }
}

function withBits(words: Uint32Array, indices: readonly number[]): Uint32Array {
  for (const index of indices) setBit(words, index);
  return words;
}

function setBit(words: Uint32Array, index: number): void {
  words[index >>> 5]! |= 1 << (index & (bitsOfWord - 1));
}

function isPair(text: string, at: number): boolean {
  return at >= 0 && text.codePointAt(at)! > 0xffff;
}

function width(codePoint: number): 1 | 2 {
  return codePoint > 0xffff ? 2 : 1;
}
