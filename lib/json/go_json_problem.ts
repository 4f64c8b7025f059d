/**
 * Returns the message of Go's decoder for a text that is not JSON: `invalid character 'b' looking for beginning
 * of value`. Call it after `JSON.parse` rejected the text; it reads the text once, without recursion.
 */
export function goJsonProblem(text: string): string {
  const scanner = new Scanner(text);
  return scanner.problem() ?? "unexpected end of JSON input";
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** The part of the text that must come next. */
type Expected = "value" | "key" | "key or }" | "value or ]" | ", or end";

class Scanner {
  readonly #text: string;
  /** The objects and arrays around the current position. */
  readonly #open: ("{" | "[")[] = [];
  #expected: Expected = "value";
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The first problem; `undefined` when the text ends before one is found. */
  problem(): string | undefined {
    for (;;) {
      this.#skipSpace();
      const char = this.#text[this.#at];
      if (char === undefined) return undefined;
      const problem = this.#part(char);
      if (problem !== undefined) return problem;
    }
  }

  #part(char: string): string | undefined {
    switch (this.#expected) {
      case ", or end":
        return this.#afterValue(char);
      case "key":
      case "key or }":
        return this.#key(char);
      default:
        return this.#value(char);
    }
  }

  #afterValue(char: string): string | undefined {
    const inside = this.#open.at(-1);
    if (inside === undefined) return this.#unexpected("after top-level value");
    if (char === (inside === "{" ? "}" : "]")) return this.#close();
    if (char !== ",") {
      return this.#unexpected(inside === "{" ? "after object key:value pair" : "after array element");
    }
    this.#at++;
    this.#expected = inside === "{" ? "key" : "value";
    return undefined;
  }

  #close(): undefined {
    this.#open.pop();
    this.#at++;
    this.#expected = ", or end";
  }

  /** Reads a key and the colon after it. */
  #key(char: string): string | undefined {
    if (char === "}" && this.#expected === "key or }") return this.#close();
    if (char !== '"') return this.#unexpected("looking for beginning of object key string");
    const problem = this.#string();
    if (problem !== undefined) return problem;
    this.#skipSpace();
    if (this.#at >= this.#text.length) return undefined;
    if (this.#text[this.#at] !== ":") return this.#unexpected("after object key");
    this.#at++;
    this.#expected = "value";
    return undefined;
  }

  #value(char: string): string | undefined {
    if (char === "]" && this.#expected === "value or ]") return this.#close();
    if (char === "{" || char === "[") {
      this.#open.push(char);
      this.#at++;
      this.#expected = char === "{" ? "key or }" : "value or ]";
      return undefined;
    }
    this.#expected = ", or end";
    return this.#scalar(char);
  }

  #scalar(char: string): string | undefined {
    if (char === '"') return this.#string();
    if (char === "-" || (char >= "0" && char <= "9")) return this.#number();
    for (const word of ["true", "false", "null"]) {
      if (char !== word[0]) continue;
      for (let index = 1; index < word.length; index++) {
        this.#at++;
        if (this.#text[this.#at] !== word[index]) {
          return this.#unexpected(`in literal ${word} (expecting '${word[index]}')`);
        }
      }
      this.#at++;
      return undefined;
    }
    return this.#unexpected("looking for beginning of value");
  }

  #number(): string | undefined {
    number.lastIndex = this.#at;
    const found = number.exec(this.#text)?.[0] ?? "-";
    this.#at += found.length;
    const rest = this.#text.slice(this.#at, this.#at + 3);
    if (found === "-") return this.#unexpected("in numeric literal");
    if (rest.startsWith(".") && !found.includes(".") && !/e/i.test(found)) {
      this.#at++;
      return this.#unexpected("after decimal point in numeric literal");
    }
    if (/^e/i.test(rest) && !/e/i.test(found)) {
      this.#at += /^e[+-]/i.test(rest) ? 2 : 1;
      return this.#unexpected("in exponent of numeric literal");
    }
    return undefined;
  }

  #string(): string | undefined {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]!;
      if (char === '"') {
        this.#at++;
        return undefined;
      }
      if (char < " ") return this.#unexpected("in string literal");
      if (char !== "\\") continue;
      this.#at++;
      const escape = this.#text[this.#at];
      if (escape === "u") {
        for (let digit = 0; digit < 4; digit++) {
          this.#at++;
          if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) {
            return this.#unexpected("in \\u hexadecimal character escape");
          }
        }
      } else if (escape === undefined || !'bfnrt\\/"'.includes(escape)) {
        return this.#unexpected("in string escape code");
      }
    }
    return "unexpected end of JSON input";
  }

  #skipSpace(): void {
    for (;; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x09 && unit !== 0x0d) return;
    }
  }

  #unexpected(context: string): string {
    // Go reads bytes, and feeds its scanner a space at the end.
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0x20);
    const char = String.fromCharCode(new TextEncoder().encode(character)[0]!);
    const quoted = char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${JSON.stringify(char).slice(1, -1)}'`;
    return `invalid character ${quoted} ${context}`;
  }
}
