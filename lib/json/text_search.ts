/**
 * The runtime searches for texts up to this length: it takes at most this many steps for each character. For a
 * longer text it may take as many steps as the product of both lengths, which is minutes when a request
 * supplies both.
 */
const short = 32;

/**
 * Finds one text in others, in time that is linear in their lengths: by the search of Knuth, Morris and Pratt, which
 * reads each character once.
 *
 * ```ts
 * import { TextSearch } from "./text_search.ts";
 * import assert from "node:assert/strict";
 * assert.equal(new TextSearch("b").positionIn("abcb", 2), 3);
 * ```
 */
export class TextSearch {
  readonly text: string;
  /** For each prefix of the text: the length of the longest shorter prefix with which it ends. */
  #borders: Int32Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the first position of the text in another, from a given one on; -1 if there is none. */
  positionIn(other: string, from = 0): number {
    const { text } = this;
    if (text.length <= short || other.length - from < text.length) return other.indexOf(text, from);
    if (from === 0 && other.length === text.length) return other === text ? 0 : -1;
    return this.#scan(other, from, (position) => position);
  }

  /** Returns the last position of the text in another, up to a given one; -1 if there is none. */
  lastPositionIn(other: string, upTo: number): number {
    const { text } = this;
    if (text.length <= short || other.length < text.length) return other.lastIndexOf(text, upTo);
    let last = -1;
    this.#scan(other, 0, (position) => {
      if (position > upTo) return position;
      last = position;
      return undefined;
    });
    return last;
  }

  /** Calls `take` with each position of the text until it returns a number: the result, which is otherwise -1. */
  #scan(other: string, from: number, take: (position: number) => number | undefined): number {
    const { text } = this, borders = this.#borders ??= bordersOf(text);
    let matched = 0;
    for (let at = from; at < other.length; at++) {
      const code = other.charCodeAt(at);
      while (matched > 0 && code !== text.charCodeAt(matched)) matched = borders[matched - 1]!;
      if (code === text.charCodeAt(matched)) matched++;
      if (matched < text.length) continue;
      const taken = take(at + 1 - matched);
      if (taken !== undefined) return taken;
      matched = borders[matched - 1]!;
    }
    return -1;
  }

  /**
   * Returns the parts of another text between the occurrences of this text, which must not be empty: as long as
   * `goesOn`, which is called at each.
   */
  split(other: string, goesOn?: () => boolean): string[] {
    if (this.text.length <= short && goesOn === undefined) return other.split(this.text);
    const parts: string[] = [];
    let start = 0;
    for (let end = this.positionIn(other); end >= 0; end = this.positionIn(other, start)) {
      if (goesOn?.() === false) break;
      parts.push(other.slice(start, end));
      start = end + this.text.length;
    }
    parts.push(other.slice(start));
    return parts;
  }
}

/**
 * Replaces up to `most` occurrences, as long as `goesOn`, which is called at each. An empty text stands before each
 * character and at the end; for it `goesOn` is not called.
 */
export function replaceText(
  text: string,
  { old, by, most }: { readonly old: string; readonly by: string; readonly most: number },
  goesOn: () => boolean,
): string {
  let count = 0;
  if (old !== "") return new TextSearch(old).split(text, () => count++ < most && goesOn()).join(by);
  const parts = ["", ...text, ""];
  return parts.slice(0, most + 1).join(by) + parts.slice(most + 1).join("");
}

function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  for (let at = 1, border = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (border > 0 && code !== text.charCodeAt(border)) border = borders[border - 1]!;
    if (code === text.charCodeAt(border)) border++;
    borders[at] = border;
  }
  return borders;
}
