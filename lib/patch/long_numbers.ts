import { endOfString, Fault, parseJson } from "../json/mod.ts";

/**
 * The digits of the whole numbers beyond 2^53 in the object of a review. Values are doubles, so `9007199254740993` is
 * ...992 in memory; a patch that writes such a value takes its digits from the text.
 *
 * ```ts
 * import { LongNumbers } from "./long_numbers.ts";
 * import assert from "node:assert/strict";
 * const numbers = new LongNumbers('{"request":{"object":{"id":9007199254740993}}}');
 * assert.equal(numbers.digitsOf(9007199254740993), "9007199254740993");
 * assert.equal(numbers.digitsOf(7), undefined);
 * ```
 */
export class LongNumbers {
  readonly #text: string;
  /** Each double with its number in the text; a fault where different numbers are rounded to it. */
  #digits: Map<number, string | Fault> | undefined;

  /** The text is that of a review, and JSON. It is read when a patch is written. */
  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The digits of a double that the object has; `undefined` when it has no such number, and a fault when several
   * numbers of the object are this double.
   */
  digitsOf(value: number): string | Fault | undefined {
    return this.#read().get(value);
  }

  /** A fault when different numbers of the object are the same double; `undefined` when there are none. */
  get ambiguity(): Fault | undefined {
    for (const digits of this.#read().values()) if (digits instanceof Fault) return digits;
    return undefined;
  }

  #read(): Map<number, string | Fault> {
    if (this.#digits !== undefined) return this.#digits;
    const digits = this.#digits = new Map<number, string | Fault>();
    for (const written of numbersOfObject(this.#text)) {
      const value = Number(written);
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) continue;
      const other = digits.get(value);
      if (other === undefined) digits.set(value, written);
      else if (other !== written && !(other instanceof Fault)) digits.set(value, indistinct(other, written));
    }
    return digits;
  }
}

function indistinct(one: string, other: string): Fault {
  return new Fault(
    `the object has the numbers ${one.slice(0, 40)} and ${other.slice(0, 40)}, which are the same double: ` +
      "a patch could change one into the other; write such numbers as texts",
  );
}

const number = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The numbers in `request.object` of a review. */
function* numbersOfObject(text: string): Generator<string> {
  const names: string[] = [];
  let depth = 0, isInside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) { // "
      const end = endOfString(text, at);
      if (depth === 1 || depth === 2) names[depth] = text.slice(at, end + 1);
      at = end;
    } else if (code === 0x7b || code === 0x5b) { // { [
      if (++depth === 3) isInside = isName(names[1], "request") && isName(names[2], "object");
    } else if (code === 0x7d || code === 0x5d) { // } ]
      if (--depth === 2) isInside = false;
    } else if (code === 0x2d || code >= 0x30 && code <= 0x39) { // - 0 … 9
      number.lastIndex = at;
      const written = number.exec(text)?.[0] ?? "-";
      if (isInside) yield written;
      at += written.length - 1;
    }
  }
}

function isName(text: string | undefined, name: string): boolean {
  return text !== undefined && text.length <= 6 * name.length + 2 && parseJson(text) === name;
}
