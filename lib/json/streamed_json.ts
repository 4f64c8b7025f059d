import { maxJsonDepth } from "./depth.ts";
import { densestHeap, sharedHeapSizeOfText } from "./heap_size.ts";
import type { Json } from "./json.ts";
import { parseJson } from "./parse.ts";
import { StagedParser } from "./parse_stages.ts";

/** The characters from which on a piece is parsed, in a millisecond. */
const pieceLength = 64 * 1024;

/** The characters of a text whose heap is not worth an estimate. */
const unestimated = 4 * 1024;

/**
 * Parses a JSON text that arrives in parts, piece by piece, and drops the text that is parsed. The text of a long
 * answer and its value would take twice the memory, and to parse it at once takes long. The caller reads how much heap
 * a piece needs before it is parsed.
 *
 * ```ts
 * import { StreamedJson } from "./streamed_json.ts";
 * import assert from "node:assert/strict";
 * const json = new StreamedJson();
 * json.add('{"a":');
 * json.add("[1]}");
 * assert.ok(json.neededHeap > 0);
 * assert.deepEqual(json.end(), { a: [1] });
 * ```
 */
export class StreamedJson {
  readonly #parser = new StagedParser({ most: pieceLength, deepest: maxJsonDepth });
  /** The parts that are not joined to the parser's text yet. */
  #parts: string[] = [];
  #partsLength = 0;
  /** The estimate of the heap of the parser's text; `undefined` when the text has changed. */
  #estimate: number | undefined = 0;
  /** Bytes of heap for the values that are parsed. */
  #parsed = 0;
  /** Bytes for each character: texts with characters beyond Latin-1 take two. */
  #width = 1;
  #isJson = true;
  /** Whether pieces of the text were parsed. */
  #hasBegun = false;

  /** The bytes of heap that everything so far takes. The text is in memory twice while its parts are joined. */
  get heapSize(): number {
    return this.#parsed + 2 * this.#width * (this.#parser.text.length + this.#partsLength);
  }

  /** The most bytes of heap that everything so far takes once it is parsed. */
  get neededHeap(): number {
    this.#join();
    return this.heapSize + this.#textHeap();
  }

  /** Whether there is enough text for {@link parse}: a short one is not parsed before its end. */
  get isDue(): boolean {
    // A string may be longer than a piece, and is read again from its start: so the text doubles before it is parsed.
    return this.#partsLength >= Math.max(pieceLength, this.#parser.text.length);
  }

  /** Adds a part of the text. */
  add(text: string): void {
    if (!this.#isJson || text === "") return;
    this.#parts.push(text);
    this.#partsLength += text.length;
    if (this.#width === 1 && isWide(text)) this.#width = 2;
  }

  /** Parses the pieces that are whole. */
  parse(): void {
    this.#hasBegun = true;
    this.#attempt(() => {
      this.#join();
      const before = this.#parser.text.length, heap = this.#textHeap();
      while (this.#parser.advance());
      const rest = this.#parser.text.length;
      if (rest === before) return;
      // The rest is estimated again, together with the parts that follow it.
      this.#parsed += Math.ceil(heap * (1 - rest / before));
      this.#estimate = undefined;
    });
  }

  /** The value of the whole text, which ends here; `undefined` when it is no JSON or nests too deeply. */
  end(): Json | undefined {
    this.#join();
    const all = this.#parsed + this.#textHeap();
    if (!this.#hasBegun) {
      // Most answers are short.
      this.#parsed = all - 2 * this.#width * this.#parser.text.length;
      return parseJson(this.#parser.text);
    }
    return this.#attempt(() => {
      while (this.#parser.advance());
      const value = this.#parser.end();
      // The text that is left goes with this object.
      this.#parsed = all - 2 * this.#width * this.#parser.text.length;
      return value;
    });
  }

  #join(): void {
    if (this.#partsLength === 0) return;
    this.#parser.add(this.#parts.join(""));
    this.#parts = [];
    this.#partsLength = 0;
    this.#estimate = undefined;
  }

  #textHeap(): number {
    const { text } = this.#parser;
    this.#estimate ??= text.length <= unestimated ? text.length * densestHeap : sharedHeapSizeOfText(text);
    return this.#width * this.#estimate;
  }

  #attempt<T>(parse: () => T): T | undefined {
    if (!this.#isJson) return undefined;
    try {
      return parse();
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      this.#isJson = false;
      return undefined;
    }
  }
}

function isWide(text: string): boolean {
  // deno-lint-ignore no-control-regex -- all of Latin-1, whose characters take a byte each
  return /[^\x00-\xff]/.test(text);
}
