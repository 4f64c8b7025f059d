/** A regular expression of JavaScript as a tree: only as much as decides how long a search takes. */
export type Pattern =
  /** One character of those that `source` matches. */
  | { readonly kind: "atom"; readonly source: string }
  | { readonly kind: "sequence"; readonly items: readonly Pattern[] }
  | { readonly kind: "choice"; readonly options: readonly Pattern[] }
  | { readonly kind: "repeat"; readonly body: Pattern; readonly min: number; readonly max: number }
  /** Something to look at before or behind the position, which consumes nothing. */
  | { readonly kind: "look"; readonly body: Pattern }
  /** The begin of the text. */
  | { readonly kind: "begin" };

const empty: Pattern = { kind: "sequence", items: [] };
const quantifier = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
const escape = /\\(?:c[A-Za-z]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[\s\S])/y;
const unicodeEscape = /\\(?:[pP]\{[^}]+\}|u\{[0-9A-Fa-f]+\}|k<[^>]+>)/y;
const groupHead = /\((\?(?:[:=!]|<[=!]|<[^>]+>|[a-z-]+:))?/y;

/**
 * Parses the source of a valid regular expression. Ends of lines and back-references count as empty, and so do
 * boundaries of words (`\b`), unless they are given another meaning.
 */
export function parsePattern(source: string, flags: string, boundary: Pattern = empty): Pattern {
  return new PatternParser(source, flags, boundary).choice();
}

class PatternParser {
  #at = 0;

  constructor(readonly source: string, readonly flags: string, readonly boundary: Pattern) {}

  choice(): Pattern {
    const options = [this.#sequence()];
    while (this.source[this.#at] === "|") {
      this.#at++;
      options.push(this.#sequence());
    }
    return options.length === 1 ? options[0]! : { kind: "choice", options };
  }

  #sequence(): Pattern {
    const items: Pattern[] = [];
    while (this.#at < this.source.length && !"|)".includes(this.source[this.#at]!)) {
      items.push(this.#repeated(this.#item()));
    }
    return { kind: "sequence", items };
  }

  #repeated(body: Pattern): Pattern {
    const found = this.#take(quantifier);
    if (found === undefined) return body;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) {
      return { kind: "repeat", body, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    }
    const min = Number(least);
    return { kind: "repeat", body, min, max: comma === "" ? min : most === "" ? Infinity : Number(most) };
  }

  #item(): Pattern {
    const character = this.source[this.#at]!;
    if (character === "(") return this.#group();
    if (character === "[") return this.#set();
    if (character === "\\") return this.#escaped();
    if (character === "$" || character === "^") {
      this.#at++;
      return character === "$" || this.flags.includes("m") ? empty : { kind: "begin" };
    }
    const point = this.flags.includes("u")
      ? String.fromCodePoint(this.source.codePointAt(this.#at)!)
      : character;
    this.#at += point.length;
    return { kind: "atom", source: point };
  }

  #group(): Pattern {
    const [, head = ""] = this.#take(groupHead)!;
    const body = this.choice();
    this.#at++;
    return /^\?<?[=!]$/.test(head) ? { kind: "look", body } : body;
  }

  #set(): Pattern {
    const begin = this.#at++;
    while (this.source[this.#at] !== "]") this.#at += this.source[this.#at] === "\\" ? 2 : 1;
    this.#at++;
    return { kind: "atom", source: this.source.slice(begin, this.#at) };
  }

  #escaped(): Pattern {
    const [text] = (this.#take(unicodeEscape) ?? this.#take(escape))!;
    if (text === "\\b") return this.boundary;
    return /^\\(?:[B1-9]|k<)/.test(text) ? empty : { kind: "atom", source: text };
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}
