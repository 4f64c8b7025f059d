/**
 * A text that calls back when it is read more often than each of its characters once. A search for all matches of a
 * pattern such as `a.*b|a` may read the rest of the text for each match, which no estimate shows beforehand. RE2JS
 * reads it as a string, by its tag.
 *
 * It does not extend `String`: while a class does, V8 reads the characters of every string five times as slowly.
 */
export class CountedText {
  readonly [Symbol.toStringTag] = "String";
  readonly length: number;
  readonly #text: string;
  readonly #onRead: () => void;
  /** The characters that may still be read without a call. */
  #left: number;

  constructor(text: string, onRead: () => void) {
    this.#text = text;
    this.#onRead = onRead;
    this.length = this.#left = text.length;
  }

  charCodeAt(index: number): number {
    if (this.#left > 0) this.#left--;
    else this.#onRead();
    return this.#text.charCodeAt(index);
  }

  indexOf(part: string, from?: number): number {
    return this.#text.indexOf(part, from);
  }

  substring(start: number, end?: number): string {
    return this.#text.substring(start, end);
  }

  toString(): string {
    return this.#text;
  }
}
