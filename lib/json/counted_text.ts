/**
 * A text that calls back when it is read more often than each of its characters once. A search for all matches of a
 * pattern such as `a.*b|a` may read the rest of the text for each match, which no estimate shows beforehand. RE2JS
 * reads string objects as it reads strings.
 */
export class CountedText extends String {
  readonly #text: string;
  readonly #onRead: () => void;
  /** The characters that may still be read without a call. */
  #left: number;

  constructor(text: string, onRead: () => void) {
    super(text);
    this.#text = text;
    this.#onRead = onRead;
    this.#left = text.length;
  }

  override charCodeAt(index: number): number {
    if (this.#left > 0) this.#left--;
    else this.#onRead();
    return this.#text.charCodeAt(index);
  }

  override indexOf(part: string, from?: number): number {
    return this.#text.indexOf(part, from);
  }
}
