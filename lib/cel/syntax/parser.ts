import type { TextProblem } from "../../diagnostics/mod.ts";
import {
  type Call,
  type CelExpression,
  type ListLiteral,
  type MapEntry,
  qualifiedName,
  type StructLiteral,
} from "./expression.ts";
import { numberLiteral, textLiteral } from "./literal_expression.ts";
import { expandedMacro, type Macro } from "./macro.ts";
import { reservedWords } from "./reserved_words.ts";
import type { CelToken } from "./token.ts";
import { TokenStream } from "./token_stream.ts";

/** The parts of the environment that the parser reads. */
export interface Grammar {
  readonly macros: readonly Macro[];
  /** Whether `a.?b`, `a[?b]` and `[?a]` are part of the language. */
  readonly optionals: boolean;
}

/** A parsed text. It has an expression even when there are errors, so that they can be reported together. */
export interface Parsed {
  readonly expression: CelExpression;
  readonly errors: readonly TextProblem[];
}

const maxLength = 100_000;
const maxDepth = 250;
const maxChain = 1000;

const reserved = new Set(reservedWords);

/** The tokens with which an operand can begin, as messages list them. */
const primaries = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', " +
  "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The binary operators by precedence, loosest first. */
const levels: readonly ReadonlySet<string>[] = [
  new Set(["<", "<=", ">=", ">", "==", "!=", "in"]),
  new Set(["+", "-"]),
  new Set(["*", "/", "%"]),
];

/** Parses an expression and expands its macros. Several mistakes are reported at once. */
export function parse(text: string, grammar: Grammar): Parsed {
  if (text.length > maxLength) {
    const message = `expression code point size exceeds limit: size: ${text.length}, limit ${maxLength}`;
    return { expression: { kind: "broken", offset: 0 }, errors: [{ offset: 0, message }] };
  }
  return new Parser(text, grammar).parse();
}

class Parser {
  readonly #grammar: Grammar;
  readonly #tokens: TokenStream;
  #depth = 0;

  constructor(text: string, grammar: Grammar) {
    this.#grammar = grammar;
    this.#tokens = new TokenStream(text);
  }

  parse(): Parsed {
    const expression = this.#expression();
    const rest = this.#tokens.peek();
    if (rest.kind !== "end") {
      this.#tokens.report(rest.offset, `Syntax error: extraneous input '${rest.text}' expecting <EOF>`);
    }
    return { expression, errors: this.#tokens.errors };
  }

  #expression(): CelExpression {
    if (++this.#depth > maxDepth) {
      this.#depth--;
      return this.#tokens.giveUp(0, `expression recursion limit exceeded: ${maxDepth}`);
    }
    const condition = this.#disjunction();
    const { offset } = this.#tokens.peek();
    let result = condition;
    if (this.#tokens.accept("?")) {
      const yes = this.#disjunction();
      if (!this.#tokens.accept(":")) this.#tokens.mismatch(this.#tokens.peek(), "':'");
      const no = this.#expression();
      result = { kind: "call", name: "_?_:_", args: [condition, yes, no], offset };
    }
    this.#depth--;
    return result;
  }

  #disjunction(): CelExpression {
    return this.#logic("||", () => this.#logic("&&", () => this.#binary(0)));
  }

  #logic(operator: "&&" | "||", operand: () => CelExpression): CelExpression {
    const first = operand();
    if (!this.#tokens.isAt(operator)) return first;
    const terms = [first], offsets: number[] = [];
    while (this.#tokens.isAt(operator)) {
      offsets.push(this.#tokens.take().offset);
      terms.push(operand());
    }
    return { kind: "logic", operator, terms, offsets, offset: offsets[0]! };
  }

  #binary(level: number): CelExpression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let length = 1;; length++) {
      const token = this.#tokens.peek();
      if (!operators.has(token.text) || (token.kind !== "symbol" && token.text !== "in")) return left;
      if (token.kind !== "symbol" && token.kind !== "ident") return left;
      if (length > maxChain) return this.#giveUp(token.offset);
      this.#tokens.take();
      const right = this.#binary(level + 1);
      const name = token.text === "in" ? "@in" : `_${token.text}_`;
      left = { kind: "call", name, args: [left, right], offset: token.offset };
    }
  }

  #giveUp(offset: number): CelExpression {
    return this.#tokens.giveUp(offset, `expression recursion limit exceeded: ${maxChain}`);
  }

  #unary(): CelExpression {
    const sign = this.#tokens.peek();
    if (sign.kind !== "symbol" || (sign.text !== "!" && sign.text !== "-")) return this.#member();
    const following = this.#tokens.peek(1);
    if (sign.text === "-" && (following.kind === "int" || following.kind === "double")) return this.#member();
    let count = 0;
    for (; this.#tokens.accept(sign.text); count++);
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return { kind: "call", name: `${sign.text}_`, args: [operand], offset: sign.offset };
  }

  #member(): CelExpression {
    let expression = this.#primary();
    for (let length = 1;; length++) {
      if (length > maxChain) return this.#giveUp(expression.offset);
      const { offset, kind } = this.#tokens.peek();
      if (kind !== "symbol") return expression;
      if (this.#tokens.accept(".")) expression = this.#selection(expression, offset);
      else if (this.#tokens.accept("[")) {
        const mode = this.#mode(), index = this.#expression();
        this.#tokens.close("]");
        expression = { kind: "index", operand: expression, index, mode, offset };
      } else if (this.#tokens.isAt("{")) {
        const name = qualifiedName(expression);
        if (name === undefined) return expression;
        expression = this.#struct(name);
      } else return expression;
    }
  }

  /** Parses the part after a dot: a field, an optional field, or a method call. */
  #selection(operand: CelExpression, offset: number): CelExpression {
    const mode = this.#mode(), name = this.#tokens.take();
    if (name.kind === "quotedIdent") return { kind: "select", operand, field: name.text, mode, offset };
    if (name.kind !== "ident" || ["in", "true", "false", "null"].includes(name.text)) {
      return this.#tokens.mismatch(name, "IDENTIFIER");
    }
    if (mode === "value" && this.#tokens.isAt("(")) {
      const open = this.#tokens.take().offset;
      return this.#call({ name: name.text, target: operand, args: this.#callArguments(), offset: open });
    }
    return { kind: "select", operand, field: name.text, mode, offset };
  }

  #mode(): "optional" | "value" {
    return this.#optionalMark() ? "optional" : "value";
  }

  /** Reads a `?` that makes a selection, index or element optional. */
  #optionalMark(): boolean {
    const { offset } = this.#tokens.peek();
    if (!this.#tokens.accept("?")) return false;
    if (!this.#grammar.optionals) this.#tokens.report(offset, "unsupported syntax '?'");
    return true;
  }

  #primary(): CelExpression {
    const token = this.#tokens.take();
    const { offset } = token;
    switch (token.kind) {
      case "ident":
        return this.#name(token, "");
      case "int":
      case "uint":
      case "double":
        return numberLiteral(token, "", this.#tokens);
      case "string":
      case "bytes":
        return textLiteral(token, this.#tokens);
      case "symbol":
        switch (token.text) {
          case "(": {
            const inner = this.#expression();
            this.#tokens.close(")");
            return inner;
          }
          case "[":
            return this.#listLiteral(offset);
          case "{":
            return { kind: "map", entries: this.#entries(), offset };
          case "-":
            return numberLiteral(this.#tokens.take(), "-", this.#tokens);
          case ".":
            if (this.#tokens.peek().kind === "ident") return this.#name(this.#tokens.take(), ".");
        }
    }
    if (token.kind !== "end" && [")", "]", "}", ",", ":"].includes(token.text)) this.#tokens.putBack();
    return this.#tokens.mismatch(token, primaries);
  }

  #name({ text, offset }: CelToken, root: "" | "."): CelExpression {
    if (root === "") {
      if (text === "true" || text === "false") return { kind: "literal", value: text === "true", offset };
      if (text === "null") return { kind: "literal", value: null, offset };
    }
    if (text === "in") {
      // The token is read again as an operator.
      this.#tokens.putBack();
      return this.#tokens.mismatch({ text, offset }, primaries);
    }
    if (reserved.has(text)) return this.#tokens.report(offset, `reserved identifier: ${text}`);
    const name = root + text;
    if (this.#tokens.isAt("(")) {
      const open = this.#tokens.take().offset;
      return this.#call({ name, args: this.#callArguments(), offset: open });
    }
    return { kind: "ident", name, offset: root === "" ? offset : offset - 1 };
  }

  /** A call, or the expression of the macro that it is. */
  #call(call: Omit<Call, "kind">): CelExpression {
    const { macros } = this.#grammar;
    const fail = (offset: number, message: string) => this.#tokens.report(offset, message);
    return expandedMacro(macros, { target: undefined, ...call, fail }) ?? { kind: "call", ...call };
  }

  /** Parses the arguments of a call, after their opening parenthesis. */
  #callArguments(): CelExpression[] {
    const items: CelExpression[] = [];
    if (this.#tokens.accept(")")) return items;
    do items.push(this.#expression()); while (this.#tokens.accept(","));
    this.#tokens.close(")");
    return items;
  }

  #listLiteral(offset: number): ListLiteral {
    const elements: { value: CelExpression; optional: boolean }[] = [];
    if (this.#tokens.isAt(",") && this.#tokens.peek(1).text === "]") this.#tokens.take();
    while (!this.#tokens.isAt("]") && this.#tokens.peek().kind !== "end") {
      const optional = this.#optionalMark();
      elements.push({ value: this.#expression(), optional });
      if (!this.#tokens.accept(",")) break;
    }
    this.#tokens.close("]");
    return { kind: "list", elements, offset };
  }

  #entries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (!this.#tokens.isAt("}")) {
      const optional = this.#optionalMark();
      const key = this.#expression();
      if (this.#tokens.colon() === undefined) break;
      entries.push({ key, value: this.#expression(), optional });
      if (!this.#tokens.accept(",")) break;
    }
    this.#tokens.close("}");
    return entries;
  }

  #struct(type: string): StructLiteral {
    const { offset } = this.#tokens.take();
    const fields: { name: string; offset: number; value: CelExpression; optional: boolean }[] = [];
    while (!this.#tokens.isAt("}")) {
      const optional = this.#optionalMark();
      const name = this.#tokens.take();
      if (name.kind !== "ident" && name.kind !== "quotedIdent") {
        this.#tokens.mismatch(name, "IDENTIFIER");
        break;
      }
      const colon = this.#tokens.colon();
      if (colon === undefined) break;
      fields.push({ name: name.text, offset: colon, value: this.#expression(), optional });
      if (!this.#tokens.accept(",")) break;
    }
    this.#tokens.close("}");
    return { kind: "struct", type, fields, offset };
  }
}
