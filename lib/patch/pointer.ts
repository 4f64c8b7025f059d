import { formatPointer } from "../json/mod.ts";

/** Pointers that are remembered, and the longest of them: names come from requests, too. */
const maxRemembered = 4096, maxLength = 256;

/**
 * A place in a document, as an RFC 6901 pointer. Objects of a kind have the same places, so those below the root are
 * made once: their texts are then whole, where one that is put together for each use is joined anew whenever it is read.
 */
export class Pointer {
  static readonly root = new Pointer("", true);
  static #count = 0;

  readonly text: string;
  readonly #isRemembered: boolean;
  #below: Map<string | number, Pointer> | undefined;

  private constructor(text: string, isRemembered: boolean) {
    this.text = text;
    this.#isRemembered = isRemembered;
  }

  /** The place of a field or an element. */
  below(token: string | number): Pointer {
    const known = this.#below?.get(token);
    if (known !== undefined) return known;
    const text = this.text + formatPointer([token]);
    if (!this.#isRemembered || Pointer.#count >= maxRemembered || text.length > maxLength) {
      return new Pointer(text, false);
    }
    const pointer = new Pointer(text, true);
    Pointer.#count++;
    (this.#below ??= new Map()).set(token, pointer);
    return pointer;
  }
}
