import type { CelExpression, ListLiteral, MapEntry, StructLiteral } from "./expression.ts";
import { qualifiedName } from "./expression.ts";
import { hasOnlyEscapes, readBytes, readNumber, readString } from "./literal.ts";
import type { Macro } from "./macro.ts";
import { type CelError, locate } from "./source.ts";
import { type CelToken, tokenize } from "./token.ts";

/** The parts of the environment that the parser reads. */
export interface Grammar {
  readonly macros: readonly Macro[];
  /** Whether `a.?b`, `a[?b]` and `[?a]` are part of the language. */
  readonly optionals: boolean;
}

/** A parsed text. It has an expression even when there are errors, so that they can be reported together. */
export interface Parsed {
  readonly expression: CelExpression;
  readonly errors: readonly CelError[];
}

const MAX_LENGTH = 100_000;
const MAX_DEPTH = 250;
const MAX_CHAIN = 1000;
const MAX_ERRORS = 30;

const reserved = new Set(
  "as break const continue else for function if import let loop package namespace return var void while"
    .split(" "),
);

/** The binary operators by precedence, loosest first. */
const levels: readonly ReadonlySet<string>[] = [
  new Set(["<", "<=", ">=", ">", "==", "!=", "in"]),
  new Set(["+", "-"]),
  new Set(["*", "/", "%"]),
];

/** Parses an expression and expands its macros. Several mistakes are reported at once. */
export function parse(text: string, grammar: Grammar): Parsed {
  if (text.length > MAX_LENGTH) {
    const message = `expression code point size exceeds limit: size: ${text.length}, limit ${MAX_LENGTH}`;
    return { expression: { kind: "broken", offset: 0 }, errors: [locate(text, 0, message)] };
  }
  return new Parser(text, grammar).parse();
}

class Parser {
  readonly #text: string;
  readonly #grammar: Grammar;
  readonly #tokens: readonly CelToken[];
  readonly #errors: CelError[] = [];
  #next = 0;
  #depth = 0;

  constructor(text: string, grammar: Grammar) {
    this.#text = text;
    this.#grammar = grammar;
    const { tokens, errors } = tokenize(text);
    this.#tokens = tokens;
    for (const { offset, message } of errors) this.#report(offset, message);
  }

  parse(): Parsed {
    const expression = this.#expression();
    const rest = this.#peek();
    if (rest.kind !== "end") {
      this.#report(rest.offset, `Syntax error: extraneous input '${rest.text}' expecting <EOF>`);
    }
    return { expression, errors: [...this.#errors].sort((a, b) => a.offset - b.offset).slice(0, MAX_ERRORS) };
  }

  #peek(): CelToken {
    return this.#tokens[this.#next]!;
  }

  #take(): CelToken {
    const token = this.#peek();
    if (token.kind !== "end") this.#next++;
    return token;
  }

  #at(symbol: string): boolean {
    const token = this.#peek();
    return token.text === symbol && (token.kind === "symbol" || (token.kind === "ident" && symbol === "in"));
  }

  #accept(symbol: string): boolean {
    if (!this.#at(symbol)) return false;
    this.#next++;
    return true;
  }

  #report(offset: number, message: string): CelExpression {
    this.#errors.push(locate(this.#text, offset, message));
    return { kind: "broken", offset };
  }

  /** Reads a closing bracket. At another token it skips to the bracket, so that the following text is still parsed. */
  #close(symbol: string): void {
    if (this.#accept(symbol)) return;
    const token = this.#peek();
    this.#report(
      token.offset,
      token.kind === "end"
        ? `Syntax error: missing '${symbol}' at '<EOF>'`
        : `Syntax error: mismatched input '${token.text}' expecting '${symbol}'`,
    );
    this.#skipTo(symbol);
    this.#accept(symbol);
  }

  /** Skips to a closing bracket of the current level. */
  #skipTo(symbol: string): void {
    for (let open = 0; this.#peek().kind !== "end"; this.#next++) {
      const { text } = this.#peek();
      if (open === 0 && text === symbol) return;
      if (["(", "[", "{"].includes(text)) open++;
      else if ([")", "]", "}"].includes(text) && --open < 0) return;
    }
  }

  #expression(): CelExpression {
    if (++this.#depth > MAX_DEPTH) {
      this.#next = this.#tokens.length - 1;
      this.#depth--;
      return this.#report(0, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    }
    const condition = this.#logic("||", () => this.#logic("&&", () => this.#binary(0)));
    const { offset } = this.#peek();
    let result = condition;
    if (this.#accept("?")) {
      const yes = this.#logic("||", () => this.#logic("&&", () => this.#binary(0)));
      if (!this.#accept(":")) {
        const token = this.#peek();
        this.#report(token.offset, `Syntax error: mismatched input '${token.text}' expecting ':'`);
      }
      const no = this.#expression();
      result = { kind: "call", name: "_?_:_", args: [condition, yes, no], offset };
    }
    this.#depth--;
    return result;
  }

  #logic(operator: "&&" | "||", operand: () => CelExpression): CelExpression {
    const first = operand();
    if (!this.#at(operator)) return first;
    const terms = [first], offsets: number[] = [];
    while (this.#at(operator)) {
      offsets.push(this.#take().offset);
      terms.push(operand());
    }
    return { kind: "logic", operator, terms, offsets, offset: offsets[0]! };
  }

  #binary(level: number): CelExpression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let length = 1;; length++) {
      const token = this.#peek();
      if (!operators.has(token.text) || (token.kind !== "symbol" && token.text !== "in")) return left;
      if (token.kind !== "symbol" && token.kind !== "ident") return left;
      if (length > MAX_CHAIN) return this.#giveUp(token.offset);
      this.#next++;
      const right = this.#binary(level + 1);
      const name = token.text === "in" ? "@in" : `_${token.text}_`;
      left = { kind: "call", name, args: [left, right], offset: token.offset };
    }
  }

  #giveUp(offset: number): CelExpression {
    this.#next = this.#tokens.length - 1;
    return this.#report(offset, `expression recursion limit exceeded: ${MAX_CHAIN}`);
  }

  #unary(): CelExpression {
    const sign = this.#peek();
    if (sign.kind !== "symbol" || (sign.text !== "!" && sign.text !== "-")) return this.#member();
    const following = this.#tokens[this.#next + 1]!;
    if (sign.text === "-" && (following.kind === "int" || following.kind === "double")) return this.#member();
    let count = 0;
    for (; this.#accept(sign.text); count++);
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return { kind: "call", name: `${sign.text}_`, args: [operand], offset: sign.offset };
  }

  #member(): CelExpression {
    let expression = this.#primary();
    for (let length = 1;; length++) {
      if (length > MAX_CHAIN) return this.#giveUp(expression.offset);
      const { offset, kind } = this.#peek();
      if (kind !== "symbol") return expression;
      if (this.#accept(".")) expression = this.#selection(expression, offset);
      else if (this.#accept("[")) {
        const optional = this.#optionalMark();
        const index = this.#expression();
        this.#close("]");
        expression = {
          kind: "index",
          operand: expression,
          index,
          mode: optional ? "optional" : "value",
          offset,
        };
      } else if (this.#at("{")) {
        const name = qualifiedName(expression);
        if (name === undefined) return expression;
        expression = this.#struct(name);
      } else return expression;
    }
  }

  /** Parses the part after a dot: a field, an optional field, or a method call. */
  #selection(operand: CelExpression, offset: number): CelExpression {
    const optional = this.#optionalMark();
    const name = this.#take();
    if (name.kind === "quotedIdent") {
      return { kind: "select", operand, field: name.text, mode: optional ? "optional" : "value", offset };
    }
    if (name.kind !== "ident" || ["in", "true", "false", "null"].includes(name.text)) {
      return this.#report(name.offset, `Syntax error: mismatched input '${name.text}' expecting IDENTIFIER`);
    }
    if (!optional && this.#at("(")) {
      const open = this.#take().offset;
      return this.#call({ name: name.text, target: operand, args: this.#list(")"), offset: open });
    }
    return { kind: "select", operand, field: name.text, mode: optional ? "optional" : "value", offset };
  }

  /** Reads a `?` that makes a selection, index or element optional. */
  #optionalMark(): boolean {
    const { offset } = this.#peek();
    if (!this.#accept("?")) return false;
    if (!this.#grammar.optionals) this.#report(offset, "unsupported syntax '?'");
    return true;
  }

  #primary(): CelExpression {
    const token = this.#take();
    const { offset } = token;
    switch (token.kind) {
      case "ident":
        return this.#name(token, "");
      case "int":
      case "uint":
      case "double":
        return this.#number(token, "");
      case "string": {
        const value = readString(token.text);
        return value === undefined ? this.#badEscape(token) : { kind: "literal", value, offset };
      }
      case "bytes": {
        const value = readBytes(token.text);
        return value === undefined ? this.#badEscape(token) : { kind: "literal", value, offset };
      }
      case "symbol":
        switch (token.text) {
          case "(": {
            const inner = this.#expression();
            this.#close(")");
            return inner;
          }
          case "[":
            return this.#listLiteral(offset);
          case "{":
            return { kind: "map", entries: this.#entries(), offset };
          case "-":
            return this.#number(this.#take(), "-");
          case ".":
            if (this.#peek().kind === "ident") return this.#name(this.#take(), ".");
        }
    }
    if (token.kind !== "end" && [")", "]", "}", ",", ":"].includes(token.text)) this.#next--;
    return this.#unexpected(token);
  }

  #unexpected({ text, offset }: Pick<CelToken, "text" | "offset">): CelExpression {
    return this.#report(
      offset,
      `Syntax error: mismatched input '${text}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', ` +
        `'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`,
    );
  }

  #badEscape({ kind, offset, text }: CelToken): CelExpression {
    if (!hasOnlyEscapes(text)) return this.#report(offset, `invalid escape sequence in ${text}`);
    return this.#report(
      offset,
      kind === "bytes" ? "unable to unescape string" : "invalid unicode code point",
    );
  }

  #number({ kind, text, offset }: CelToken, sign: "" | "-"): CelExpression {
    if (kind !== "int" && kind !== "uint" && kind !== "double") {
      return this.#report(offset, `Syntax error: mismatched input '${text}' expecting a number`);
    }
    const value = readNumber(kind, sign + text);
    return value === undefined
      ? this.#report(offset, `invalid ${kind} literal`)
      : { kind: "literal", value, offset: sign === "" ? offset : offset - 1 };
  }

  #name({ text, offset }: CelToken, root: "" | "."): CelExpression {
    if (root === "") {
      if (text === "true" || text === "false") return { kind: "literal", value: text === "true", offset };
      if (text === "null") return { kind: "literal", value: null, offset };
    }
    if (text === "in") {
      // The token is read again as an operator.
      this.#next--;
      return this.#unexpected({ text, offset });
    }
    if (reserved.has(text)) return this.#report(offset, `reserved identifier: ${text}`);
    const name = root + text;
    if (this.#at("(")) {
      const open = this.#take().offset;
      return this.#call({ name, args: this.#list(")"), offset: open });
    }
    return { kind: "ident", name, offset: root === "" ? offset : offset - 1 };
  }

  #call(
    call: { name: string; target?: CelExpression; args: readonly CelExpression[]; offset: number },
  ): CelExpression {
    const style = call.target === undefined ? "function" : "method";
    for (const macro of this.#grammar.macros) {
      if (macro.name !== call.name || macro.style !== style) continue;
      if (macro.arity !== "any" && macro.arity !== call.args.length) continue;
      const expanded = macro.expand({
        target: call.target,
        args: call.args,
        offset: call.offset,
        fail: (offset, message) => this.#report(offset, message),
      });
      if (expanded !== undefined) return expanded;
    }
    return { kind: "call", ...call };
  }

  #list(close: ")"): CelExpression[] {
    const items: CelExpression[] = [];
    if (this.#accept(close)) return items;
    do items.push(this.#expression()); while (this.#accept(","));
    this.#close(close);
    return items;
  }

  #listLiteral(offset: number): ListLiteral {
    const elements: { value: CelExpression; optional: boolean }[] = [];
    if (this.#at(",") && this.#tokens[this.#next + 1]!.text === "]") this.#next++;
    while (!this.#at("]") && this.#peek().kind !== "end") {
      const optional = this.#optionalMark();
      elements.push({ value: this.#expression(), optional });
      if (!this.#accept(",")) break;
    }
    this.#close("]");
    return { kind: "list", elements, offset };
  }

  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (!this.#at("}")) {
      const optional = this.#optionalMark();
      const key = this.#expression();
      if (this.#colon() === undefined) break;
      entries.push({ key, value: this.#expression(), optional });
      if (!this.#accept(",")) break;
    }
    this.#close("}");
    return entries;
  }

  #struct(type: string): StructLiteral {
    const { offset } = this.#take();
    const fields: { name: string; offset: number; value: CelExpression; optional: boolean }[] = [];
    while (!this.#at("}")) {
      const optional = this.#optionalMark();
      const name = this.#take();
      if (name.kind !== "ident" && name.kind !== "quotedIdent") {
        this.#report(name.offset, `Syntax error: mismatched input '${name.text}' expecting IDENTIFIER`);
        break;
      }
      const colon = this.#colon();
      if (colon === undefined) break;
      fields.push({ name: name.text, offset: colon, value: this.#expression(), optional });
      if (!this.#accept(",")) break;
    }
    this.#close("}");
    return { kind: "struct", type, fields, offset };
  }

  /** Reads a colon and returns its position; without one, skips to the closing brace. */
  #colon(): number | undefined {
    const { offset, text } = this.#peek();
    if (this.#accept(":")) return offset;
    this.#report(offset, `Syntax error: mismatched input '${text}' expecting ':'`);
    this.#skipTo("}");
    return undefined;
  }
}
