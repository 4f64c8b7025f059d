import { isList, type Json, setField } from "./json.ts";
import { parseJsonText } from "./json_text.ts";
import type { Stages } from "./stages.ts";
import { endOfString } from "./string_end.ts";

/** The characters that are parsed at once, in some milliseconds. */
const stageLength = 128 * 1024;

/**
 * Parses a JSON text as `JSON.parse` does, a long one in stages: three megabytes with an object of many names take an
 * eighth of a second. The caller has checked how deeply it nests.
 *
 * @throws SyntaxError when the text is no JSON
 *
 * ```ts
 * import { parseInStages } from "./parse_stages.ts";
 * import { completed } from "./stages.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(completed(parseInStages('{"a":[1,{"b":2}]}', 4)), { a: [1, { b: 2 }] });
 * ```
 */
export function* parseInStages(text: string, most = stageLength): Stages<Json> {
  if (text.length <= most) return parseJsonText(text);
  const parser = new StagedParser({ most });
  parser.add(text);
  while (parser.advance()) yield undefined;
  return parser.end();
}

/** A list or map whose end was not read yet. */
interface Open {
  readonly isList: boolean;
  start: number;
  /** Set as soon as the value turns out to be long; a short one is parsed together with the text around it. */
  value: Json[] | { [name: string]: Json } | undefined;
  /** Where the members that are not parsed yet begin. */
  pending: number;
  /** Whether the member before `pending` was long, so that nothing but a comma or the end may follow. */
  isAfterMember: boolean;
  /** Where the last string at this level starts and ends: the name of the open member. */
  nameStart: number;
  nameEnd: number;
}

/** The bounds of a {@link StagedParser}. */
export interface StagedParserOptions {
  /** The characters from which on a piece is parsed. */
  readonly most: number;
  /** The deepest nesting; any by default. */
  readonly deepest?: number;
}

/**
 * Reads a text once, and parses its pieces. The text may come in parts; what is parsed is dropped, so
 * that only the value and a piece of the text are in memory. Its methods throw a SyntaxError when the text is no JSON.
 */
export class StagedParser {
  readonly #most: number;
  readonly #deepest: number;
  readonly #stack: Open[] = [];
  #text = "";
  #at = 0;
  /** The whole value, once its end was read, if it was long. */
  #value: Json | undefined;
  /** The position after the whole value. */
  #after = 0;

  constructor({ most, deepest = Infinity }: StagedParserOptions) {
    this.#most = most;
    this.#deepest = deepest;
  }

  /** The text that is not dropped yet. */
  get text(): string {
    return this.#text;
  }

  /** Adds a part of the text. */
  add(text: string): void {
    this.#text += text;
  }

  /** Runs a stage; false when there is none left in the text so far. */
  advance(): boolean {
    const text = this.#text;
    while (this.#at < text.length) {
      const at = this.#at++, top = this.#stack.at(-1);
      switch (text.charCodeAt(at)) {
        case 0x22: {
          const end = endOfString(text, at);
          if (end >= text.length) {
            // The string goes on in the next part.
            this.#at = at;
            return this.#drop();
          }
          this.#at = end + 1;
          if (top !== undefined) {
            top.nameStart = at;
            top.nameEnd = this.#at;
          }
          break;
        }
        case 0x5b:
        case 0x7b:
          this.#open(at);
          break;
        case 0x5d:
        case 0x7d:
          this.#close(at);
          break;
        case 0x2c:
          if (top === undefined || top.value === undefined && at - top.pending < this.#most) break;
          // Short pieces of a long list are no stage.
          if (!top.isAfterMember && at - top.pending < this.#most) break;
          if (this.#endPiece(top, at)) return true;
      }
    }
    return this.#drop();
  }

  /** The value of the whole text, which ends here. */
  end(): Json {
    if (this.#stack.length > 0) throw new SyntaxError("Unexpected end of JSON input");
    if (this.#value === undefined) return parseJsonText(this.#text);
    if (!isBlank(this.#text.slice(this.#after))) throw unexpected(this.#text, this.#after);
    return this.#value;
  }

  /** Drops the text of the pieces that are parsed. */
  #drop(): false {
    const begun = this.#stack.findLastIndex(({ value }) => value !== undefined);
    if (begun < 0) return false;
    const { pending } = this.#stack[begun]!;
    this.#text = this.#text.slice(pending);
    this.#at -= pending;
    // Nothing is read any more of the values around the last that has begun.
    for (const open of this.#stack.slice(begun)) {
      open.start -= pending;
      open.pending -= pending;
      open.nameStart -= pending;
      open.nameEnd -= pending;
    }
    return false;
  }

  #open(start: number): void {
    const isFirst = this.#stack.length === 0;
    if (isFirst && (this.#value !== undefined || !isBlank(this.#text.slice(0, start)))) {
      throw unexpected(this.#text, start);
    }
    if (this.#stack.length >= this.#deepest) throw new SyntaxError("JSON nests too deeply");
    this.#stack.push({
      isList: this.#text[start] === "[",
      start,
      value: undefined,
      pending: start + 1,
      isAfterMember: false,
      nameStart: 0,
      nameEnd: 0,
    });
  }

  #close(at: number): void {
    const closed = this.#stack.pop();
    if (closed === undefined || closed.isList !== (this.#text[at] === "]")) throw unexpected(this.#text, at);
    if (closed.value === undefined) return;
    this.#parse(closed, at);
    const outer = this.#stack.at(-1);
    if (outer === undefined) {
      this.#value = closed.value;
      this.#after = at + 1;
    } else {
      outer.pending = at + 1;
      outer.isAfterMember = true;
    }
  }

  /** Parses the members before a comma, and returns whether there were any. */
  #endPiece(top: Open, comma: number): boolean {
    const parsed = !top.isAfterMember;
    if (parsed) this.#makeAll();
    this.#parse(top, comma);
    top.pending = comma + 1;
    top.isAfterMember = false;
    return parsed;
  }

  /** Makes the values of all open lists and maps. */
  #makeAll(): void {
    let outer: Open | undefined;
    for (const open of this.#stack) {
      if (open.value === undefined) {
        open.value = open.isList ? [] : {};
        if (outer !== undefined) this.#begin(outer, open);
      }
      outer = open;
    }
  }

  /** Parses the members before a long one, and puts the long one into its position. */
  #begin(outer: Open, { start, value }: Open): void {
    if (outer.isAfterMember) throw unexpected(this.#text, start);
    const piece = `${this.#text.slice(outer.pending, start)}null`;
    if (isList(outer.value)) {
      append(outer.value, piece);
      (outer.value as Json[])[outer.value.length - 1] = value!;
    } else {
      setAll(outer.value!, piece);
      const name = JSON.parse(this.#text.slice(outer.nameStart, outer.nameEnd)) as string;
      setField(outer.value as { [name: string]: Json }, name, value!);
    }
  }

  /** Parses the remaining members of a value up to a comma or its end. */
  #parse({ value, pending, isAfterMember }: Open, end: number): void {
    const piece = this.#text.slice(pending, end);
    if (isAfterMember !== isBlank(piece)) throw unexpected(this.#text, isAfterMember ? pending : end);
    if (isAfterMember) return;
    if (isList(value)) append(value, piece);
    else setAll(value!, piece);
  }
}

function append(list: readonly Json[], piece: string): void {
  for (const element of parseJsonText(`[${piece}]`) as Json[]) (list as Json[]).push(element);
}

function setAll(map: Json, piece: string): void {
  const members = parseJsonText(`{${piece}}`) as { [name: string]: Json };
  for (const name of Object.keys(members)) setField(map as { [name: string]: Json }, name, members[name]!);
}

function isBlank(piece: string): boolean {
  return /^[ \t\n\r]*$/.test(piece);
}

function unexpected(text: string, at: number): SyntaxError {
  return new SyntaxError(`Unexpected token '${text[at] ?? ""}' at position ${at}`);
}
