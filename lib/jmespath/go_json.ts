/**
 * What Go's decoder says of a text that is no JSON: `invalid character 'b' looking for beginning of value`. It is only
 * asked after `JSON.parse` refused the text, and reads it once, without recursion.
 */
export function goJsonProblem(text: string): string {
  const scanner = new Scanner(text);
  return scanner.problem() ?? "unexpected end of JSON input";
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  problem(): string | undefined {
    const open: ("{" | "[")[] = [];
    let wants: "value" | "key" | "key or }" | "value or ]" | "," = "value";
    for (;;) {
      this.#skipSpace();
      const char = this.#text[this.#at];
      if (wants === "," && open.length === 0) {
        return char === undefined ? undefined : this.#unexpected("after top-level value");
      }
      if (char === undefined) return undefined;
      const inside = open.at(-1);
      if (wants === ",") {
        if (char === (inside === "{" ? "}" : "]")) {
          open.pop();
        } else if (char === ",") {
          wants = inside === "{" ? "key" : "value";
        } else {return this.#unexpected(
            inside === "{" ? "after object key:value pair" : "after array element",
          );}
        this.#at++;
        continue;
      }
      if (wants === "key" || wants === "key or }") {
        if (char === "}" && wants === "key or }") {
          open.pop();
          wants = ",";
          this.#at++;
          continue;
        }
        if (char !== '"') return this.#unexpected("looking for beginning of object key string");
        const problem = this.#string();
        if (problem !== undefined) return problem;
        this.#skipSpace();
        if (this.#at >= this.#text.length) return undefined;
        if (this.#text[this.#at] !== ":") return this.#unexpected("after object key");
        this.#at++;
        wants = "value";
        continue;
      }
      if (char === "]" && wants === "value or ]") {
        open.pop();
        wants = ",";
        this.#at++;
        continue;
      }
      if (char === "{" || char === "[") {
        open.push(char);
        wants = char === "{" ? "key or }" : "value or ]";
        this.#at++;
        continue;
      }
      const problem = this.#scalar(char);
      if (problem !== undefined) return problem;
      if (this.#at >= this.#text.length && open.length > 0) return undefined;
      wants = ",";
    }
  }

  #scalar(char: string): string | undefined {
    if (char === '"') return this.#string();
    if (char === "-" || (char >= "0" && char <= "9")) return this.#number();
    for (const word of ["true", "false", "null"]) {
      if (char !== word[0]) continue;
      for (let index = 1; index < word.length; index++) {
        this.#at++;
        if (this.#at >= this.#text.length) return "unexpected end of JSON input";
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
    if (found === "-") return this.#endOr("in numeric literal");
    if (rest.startsWith(".") && !found.includes(".") && !/e/i.test(found)) {
      this.#at++;
      return this.#endOr("after decimal point in numeric literal");
    }
    if (/^e/i.test(rest) && !/e/i.test(found)) {
      this.#at += /^e[+-]/i.test(rest) ? 2 : 1;
      return this.#endOr("in exponent of numeric literal");
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
      if (escape === undefined) break;
      if (escape === "u") {
        for (let digit = 0; digit < 4; digit++) {
          this.#at++;
          if (this.#at >= this.#text.length) return "unexpected end of JSON input";
          if (!/[0-9a-fA-F]/.test(this.#text[this.#at]!)) {
            return this.#unexpected("in \\u hexadecimal character escape");
          }
        }
      } else if (!'bfnrt\\/"'.includes(escape)) return this.#unexpected("in string escape code");
    }
    return "unexpected end of JSON input";
  }

  #skipSpace(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #endOr(place: string): string {
    return this.#at >= this.#text.length ? "unexpected end of JSON input" : this.#unexpected(place);
  }

  #unexpected(place: string): string {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at)!);
    const quoted = char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${JSON.stringify(char).slice(1, -1)}'`;
    return `invalid character ${quoted} ${place}`;
  }
}
