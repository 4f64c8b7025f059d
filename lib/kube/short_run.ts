/** The code that stands for any character in a run. */
export const questionMark = 0x3f;

/** The most characters of a short run: one bit of a word for each. */
export const mostShort = 32;

/**
 * Searches a run of at most {@link mostShort} characters, where `?` is any character. It reads every character of a
 * text once (Baeza-Yates and Gonnet's Shift-And), with one word of bits and a table for the characters of ASCII: names,
 * labels and images have no others, and one step takes a nanosecond.
 */
export class ShortRun {
  /** For each character of ASCII a bit for each position of the run that it matches. */
  readonly #ascii: Uint32Array;
  /** The same for other characters of the run. */
  readonly #others = new Map<number, number>();
  /** The positions that any character matches. */
  readonly #anywhere: number;
  readonly #lastBit: number;

  constructor(wanted: readonly number[]) {
    this.#anywhere = bitsWhere(wanted, questionMark);
    this.#ascii = new Uint32Array(128).fill(this.#anywhere);
    wanted.forEach((code, index) => {
      if (code < 128) this.#ascii[code]! |= 1 << index;
      else this.#others.set(code, (this.#others.get(code) ?? this.#anywhere) | 1 << index);
    });
    this.#lastBit = 1 << (wanted.length - 1);
  }

  /** The end of the first match at or after a position of the text; -1 if there is none. */
  endAfter(text: string, from: number): number {
    // Bit n is set if the last characters of the text so far match the run up to position n.
    let reached = 0;
    for (let at = from; at < text.length;) {
      const unit = text.charCodeAt(at);
      let possible: number;
      if (unit < 128) {
        possible = this.#ascii[unit]!;
        at++;
      } else {
        const code = text.codePointAt(at)!;
        possible = this.#others.get(code) ?? this.#anywhere;
        at += code > 0xffff ? 2 : 1;
      }
      reached = ((reached << 1) | 1) & possible;
      if ((reached & this.#lastBit) !== 0) return at;
    }
    return -1;
  }
}

function bitsWhere(wanted: readonly number[], code: number): number {
  return wanted.reduce((bits, each, index) => each === code ? bits | (1 << index) : bits, 0);
}
