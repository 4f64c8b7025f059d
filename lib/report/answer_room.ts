import { clipped } from "../json/mod.ts";

/** The most texts of one kind in an answer: more than anybody reads. */
const mostTexts = 1_000;

/**
 * The characters that they may have together before further ones are cut: a usual text has some hundred, one with a
 * field of the object up to 16,384. The API server shows 4,096 characters of warnings.
 */
const mostCharacters = 256 * 1024;

/** The characters of a text when the others have used up the room. */
const fewest = 256;

/**
 * The room for texts in an answer: hundreds of rules whose messages quote a field of the object made an answer of many
 * megabytes, and ten such answers ended the process.
 */
export class AnswerRoom {
  #texts = 0;
  #left = mostCharacters;

  /** Counts another text; false when there are too many. */
  takesMore(): boolean {
    return this.#texts++ < mostTexts;
  }

  /** A text as far as there is room. */
  fit(text: string): string {
    const fitting = clipped(text, Math.max(fewest, this.#left));
    this.#left -= fitting.length;
    return fitting;
  }
}
