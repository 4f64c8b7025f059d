import { isList, type Json, setField } from "./json.ts";
import { endOfString } from "./string_end.ts";

/**
 * Returns the value of a JSON text, as `JSON.parse` should. V8 15 reads a name with an escape wrongly when an earlier
 * object had a name that begins with the same characters: after `{"a":1,"\\u0068os":1}` it reads the second name of
 * `{"a":1,"\u0068ostPath":1}` as `\u0068os`, so that policies would not see the field. The wrong name always has a
 * backslash and the length of the right one, so a value without such names was read well. Others are read here. The
 * managed fields of every object have names with escapes (`k:{\"name\":\"web\"}`), and reading all those here took
 * three times as long. The caller has checked how deeply the text nests.
 *
 * @throws SyntaxError when the text is no JSON
 *
 * ```ts
 * import { parseJsonText } from "./json_text.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseJsonText(String.raw`{"a":1,"\u0062":[2]}`), { a: 1, b: [2] });
 * ```
 */
export function parseJsonText(text: string): Json {
  const lengths = lengthsOfEscapedNames(text);
  if (lengths !== undefined) {
    const value = JSON.parse(text) as Json;
    if (lengths === 0 || !hasWrongName(value, lengths)) return value;
  }
  const reader = new Reader(text), value = reader.value();
  reader.end();
  return value;
}

/**
 * The lengths of the names with an escape, modulo 32, as a set of bits; `undefined` when such a name has a backslash.
 * A name is a string before a colon. A text that is no JSON may have any answer.
 */
function lengthsOfEscapedNames(text: string): number | undefined {
  let lengths = 0;
  for (let escape = text.indexOf("\\"); escape >= 0;) {
    const end = endOfString(text, escape);
    if (text.charCodeAt(afterSpace(text, end + 1)) === 0x3a) {
      const rest = text.slice(escape, end);
      if (rest.includes("\\\\") || /\\u005c/i.test(rest)) return undefined;
      lengths |= lengthBit(escape - text.lastIndexOf('"', escape - 1) - 1 + unescapedLength(rest));
    }
    escape = text.indexOf("\\", end + 1);
  }
  return lengths;
}

/** The length of a string without backslashes, whose escapes stand for one character each. */
function unescapedLength(escaped: string): number {
  let { length } = escaped;
  for (let at = escaped.indexOf("\\"); at >= 0; at = escaped.indexOf("\\", at + 1)) {
    length -= escaped[at + 1] === "u" ? 5 : 1;
  }
  return length;
}

function lengthBit(length: number): number {
  return 1 << (length & 31);
}

/** Whether a value has a name with a backslash that is as long as one of the names with an escape. */
function hasWrongName(value: Json, lengths: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isList(value)) {
    for (const element of value) if (hasWrongName(element, lengths)) return true;
    return false;
  }
  for (const name in value) {
    if ((lengths & lengthBit(name.length)) !== 0 && name.includes("\\")) return true;
    if (hasWrongName(value[name]!, lengths)) return true;
  }
  return false;
}

/** Reads a JSON text value after value. Strings are still parsed by `JSON.parse`, which reads them well. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Json {
    this.#at = afterSpace(this.#text, this.#at);
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object();
      case "[":
        return this.#list();
      case '"':
        return this.#string();
      default:
        return this.#numberOrWord();
    }
  }

  /** Nothing but space may follow. */
  end(): void {
    this.#at = afterSpace(this.#text, this.#at);
    if (this.#at < this.#text.length) throw this.#unexpected();
  }

  #object(): Json {
    const members: { [name: string]: Json } = {};
    this.#at++;
    if (this.#takes("}")) return members;
    do {
      this.#at = afterSpace(this.#text, this.#at);
      if (this.#text[this.#at] !== '"') throw this.#unexpected();
      const name = this.#string();
      if (!this.#takes(":")) throw this.#unexpected();
      setField(members, name, this.value());
    } while (this.#takes(","));
    if (!this.#takes("}")) throw this.#unexpected();
    return members;
  }

  #list(): Json {
    const elements: Json[] = [];
    this.#at++;
    if (this.#takes("]")) return elements;
    do elements.push(this.value()); while (this.#takes(","));
    if (!this.#takes("]")) throw this.#unexpected();
    return elements;
  }

  #string(): string {
    const start = this.#at;
    this.#at = endOfString(this.#text, start) + 1;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #numberOrWord(): Json {
    numberOrWord.lastIndex = this.#at;
    const found = numberOrWord.exec(this.#text)?.[0];
    if (found === undefined) throw this.#unexpected();
    this.#at += found.length;
    return JSON.parse(found) as Json;
  }

  /** Whether a character follows, which is read then. */
  #takes(character: string): boolean {
    this.#at = afterSpace(this.#text, this.#at);
    const follows = this.#text[this.#at] === character;
    if (follows) this.#at++;
    return follows;
  }

  #unexpected(): SyntaxError {
    const character = this.#text[this.#at];
    return new SyntaxError(
      character === undefined
        ? "Unexpected end of JSON input"
        : `Unexpected token '${character}' at position ${this.#at}`,
    );
  }
}

const numberOrWord = /[-+.0-9A-Za-z]+/y;

/** The position of the next character that is not white space in JSON (RFC 8259 §2). */
function afterSpace(text: string, start: number): number {
  let at = start;
  for (;; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
}
