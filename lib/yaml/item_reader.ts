import type { Chunk } from "./split.ts";

/** Returns the items of one long list, from text that arrives in pieces. */
export interface ItemReader {
  /** Whether the list is JSON, in which lines mean nothing. */
  readonly isBraced: boolean;
  push(text: string, line: number): Chunk[];
  end(): Chunk[];
}

/** The number of characters at the start of a document in which its items must begin. */
const headLength = 100_000;

/**
 * Returns a reader for the items of a document that starts with the text; `undefined` when it is not a list in the
 * form that kubectl writes.
 */
export function listItemsOf(text: string): ItemReader | undefined {
  const head = text.slice(0, headLength);
  if (/^\s*\{/.test(head)) {
    // A bracket before the items might be inside a string, which this code does not parse; kubectl writes none.
    return /^\s*\{[^[\]{}]*"items"\s*:\s*\[/.test(head) ? new BracedItems() : undefined;
  }
  return /^(?:---[^\n]*\n)?(?:[A-Za-z]+:[^\n]*\n|#[^\n]*\n)*items:[ \t]*\n[ ]*- /.test(head)
    ? new IndentedItems()
    : undefined;
}

/** Items in YAML's block style: each starts with a dash at the indentation of the first. */
class IndentedItems implements ItemReader {
  readonly isBraced = false;
  #state: "before" | "within" | "after" = "before";
  #dash = "";
  #lines: string[] = [];
  #firstLine = 0;

  push(text: string, line: number): Chunk[] {
    const chunks: Chunk[] = [];
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const [index, each] of lines.entries()) {
      // A piece starts with the line break that ended the one before.
      const isRest = index === 0 && each === "";
      if (isRest || this.#state === "after") continue;
      if (this.#state === "before") {
        if (/^items:\s*$/.test(each)) this.#state = "within";
        continue;
      }
      if (this.#dash === "") this.#dash = /^ *- /.exec(each)?.[0] ?? "- ";
      const isItem = each.startsWith(this.#dash);
      if (isItem || /^[^\s#-]/.test(each)) {
        chunks.push(...this.end());
        this.#firstLine = line + index;
      }
      if (!isItem && /^[^\s#-]/.test(each)) this.#state = "after";
      else this.#lines.push(each);
    }
    return chunks;
  }

  end(): Chunk[] {
    if (this.#lines.length === 0) return [];
    const text = `${this.#lines.join("\n")}\n`;
    this.#lines = [];
    return [{ text, firstLine: this.#firstLine, isItem: true }];
  }
}

/** Items in JSON: the objects and lists at the first level of the list. */
class BracedItems implements ItemReader {
  readonly isBraced = true;
  #state: "before" | "within" | "after" = "before";
  #depth = 0;
  #inString = false;
  /** Whether the first character of the next text is escaped. */
  #isEscaped = false;
  #item = "";
  #firstLine = 0;

  push(text: string, line: number): Chunk[] {
    const chunks: Chunk[] = [];
    let at = 0;
    if (this.#state === "before") {
      const start = /"items"\s*:\s*\[/.exec(text)!;
      at = start.index + start[0].length;
      this.#state = "within";
    }
    const counted = new LineCounter(text, line);
    let from = at;
    const significant = /["\\[\]{},]/g;
    significant.lastIndex = this.#isEscaped ? at + 1 : at;
    this.#isEscaped = false;
    for (let found = significant.exec(text); found !== null && this.#state === "within";) {
      const [character] = found;
      at = found.index;
      if (this.#inString) {
        if (character === "\\") [significant.lastIndex, this.#isEscaped] = [at + 2, at + 1 === text.length];
        else if (character === '"') this.#inString = false;
      } else if (character === '"') this.#inString = true;
      else if (character === "{" || character === "[") {
        if (this.#depth++ === 0) [this.#firstLine, from] = [counted.at(at), at];
      } else if (character === "}" || character === "]") {
        if (--this.#depth === 0) {
          chunks.push({ text: `${this.#item}${text.slice(from, at + 1)}`, firstLine: this.#firstLine });
          this.#item = "";
          from = at + 1;
        } else if (this.#depth < 0) this.#state = "after";
      }
      found = significant.exec(text);
    }
    if (this.#depth > 0) this.#item += text.slice(from);
    return chunks;
  }

  end(): Chunk[] {
    // An item that does not end is broken: its diagnostic says why.
    return this.#depth > 0 ? [{ text: this.#item, firstLine: this.#firstLine }] : [];
  }
}

/** Counts the lines of offsets in a text, which must come in ascending order. */
class LineCounter {
  readonly #text: string;
  #at = 0;
  #line: number;

  constructor(text: string, line: number) {
    this.#text = text;
    this.#line = line;
  }

  at(offset: number): number {
    for (let next = this.#text.indexOf("\n", this.#at); next >= 0 && next < offset;) {
      this.#line++;
      this.#at = next + 1;
      next = this.#text.indexOf("\n", this.#at);
    }
    return this.#line;
  }
}
