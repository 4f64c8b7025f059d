import { type ItemReader, listItemsOf } from "./item_reader.ts";
import { type Chunk, endsMarker } from "./split.ts";

/** Limits of a {@link DocumentStream}. */
export interface DocumentStreamOptions {
  /**
   * The stream leaves out longer documents and lists their first lines. The default is 64 million characters.
   */
  readonly maxLength?: number;
  /**
   * From this length on, the stream returns the items of a list one by one. The default is a million
   * characters.
   */
  readonly listLength?: number;
}

/** Whether further text may follow what has arrived. */
type Rest = "more follows" | "end of text";

/**
 * Cuts text that arrives in pieces into documents, so that a file of any size is read in little memory. It
 * returns a long list (`kubectl get -o yaml` or `-o json`) item by item, without the list's other fields.
 *
 * ```ts
 * import { DocumentStream } from "./document_stream.ts";
 * import assert from "node:assert/strict";
 * const stream = new DocumentStream();
 * assert.deepEqual(stream.push("a: 1\n--"), []);
 * assert.deepEqual(stream.push("-\nb: 2\n"), [{ text: "a: 1\n", firstLine: 1 }]);
 * assert.deepEqual(stream.end(), [{ text: "---\nb: 2\n", firstLine: 2 }]);
 * ```
 */
export class DocumentStream {
  readonly #maxLength: number;
  readonly #listLength: number;
  #pending = "";
  /** The line at which the pending text starts. */
  #line = 1;
  /** The offset up to which the pending text holds no marker. */
  #scanned = 0;
  #items: ItemReader | undefined;
  #mayBeList = true;
  #isTooLong = false;
  readonly #tooLong: number[] = [];

  constructor({ maxLength = 64_000_000, listLength = 1_000_000 }: DocumentStreamOptions = {}) {
    this.#maxLength = maxLength;
    this.#listLength = listLength;
  }

  /** The first lines of the documents that were left out because of their length. */
  get tooLong(): readonly number[] {
    return this.#tooLong;
  }

  /** Takes the next text and returns the chunks that are complete. */
  push(text: string): Chunk[] {
    const isStart = this.#line === 1 && this.#pending === "" && text.startsWith("\ufeff");
    this.#pending += isStart ? text.slice(1) : text;
    return this.#cut("more follows");
  }

  /** Returns the remaining chunks at the end of the text. */
  end(): Chunk[] {
    const chunks = this.#cut("end of text");
    return [...chunks, ...this.#finish(this.#pending, "document")];
  }

  /** Takes the complete documents, and of a long list the items, from the text that is pending. */
  #cut(rest: Rest): Chunk[] {
    const chunks: Chunk[] = [];
    for (;;) {
      const at = this.#marker(rest);
      if (at < 0) break;
      chunks.push(...this.#finish(this.#pending.slice(0, at), "document"));
      this.#pending = this.#pending.slice(at);
      this.#scanned = 0;
    }
    const isLong = this.#pending.length > this.#listLength || this.#items !== undefined;
    if (rest === "more follows" && isLong) chunks.push(...this.#readLong());
    return chunks;
  }

  /** Returns where the next document starts; -1 while the text does not show it. */
  #marker(rest: Rest): number {
    for (let from = this.#scanned;;) {
      const newline = this.#pending.indexOf("\n---", from);
      if (newline < 0) {
        this.#scanned = Math.max(0, this.#pending.length - 4);
        return -1;
      }
      const after = this.#pending[newline + 4];
      if (after === undefined && rest === "more follows") {
        this.#scanned = newline;
        return -1;
      }
      if (endsMarker(after) && !isDirective(this.#pending.slice(0, newline + 1))) {
        return newline + 1;
      }
      from = newline + 4;
    }
  }

  /**
   * Takes text from a document that is not complete yet: returns items of a list, and drops a document that is
   * too long.
   */
  #readLong(): Chunk[] {
    if (this.#items === undefined && this.#mayBeList) {
      this.#items = listItemsOf(this.#pending);
      this.#mayBeList = false;
    }
    // The end of the text may be the beginning of a marker.
    const end = this.#items?.isBraced === true ? this.#pending.length : this.#pending.lastIndexOf("\n");
    if (this.#items !== undefined && end > 0) return this.#finish(this.#take(end), "part of a list");
    if (this.#pending.length > this.#maxLength && !this.#isTooLong) {
      this.#isTooLong = true;
      this.#tooLong.push(this.#line);
    }
    if (this.#isTooLong) this.#line += linesIn(this.#take(end > 0 ? end : this.#pending.length));
    return [];
  }

  #take(end: number): string {
    const taken = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    this.#scanned = 0;
    return taken;
  }

  /** Returns the chunks of a text: of a document, or of its last part, or of a further part of a long list. */
  #finish(text: string, extent: "document" | "part of a list"): Chunk[] {
    const endsDocument = extent === "document";
    const firstLine = this.#line;
    this.#line += linesIn(text);
    let chunks: Chunk[] = [{ text, firstLine }];
    if (this.#items !== undefined) {
      chunks = this.#items.push(text, firstLine);
      if (endsDocument) chunks.push(...this.#items.end());
    } else if (this.#isTooLong) chunks = [];
    else if (text.length > this.#maxLength) {
      this.#tooLong.push(firstLine);
      chunks = [];
    }
    if (endsDocument) [this.#items, this.#mayBeList, this.#isTooLong] = [undefined, true, false];
    return chunks;
  }
}

/** Whether a text holds directives (`%YAML 1.1`) and nothing else: they belong to the document after the marker. */
function isDirective(text: string): boolean {
  if (text.length >= 1000 || !text.endsWith("\n")) return false;
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  return lines.length > 0 && lines.every((line) => line.startsWith("%"));
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
