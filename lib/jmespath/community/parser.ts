import { Fault } from "../../json/mod.ts";
import { syntaxFault } from "./syntax_fault.ts";
import { type CommunityToken, tokenize, type TokenKind } from "./tokens.ts";
import type { ComparisonOperator } from "../syntax/tree.ts";
import type { Arithmetic, CommunityEntry, CommunityNode } from "./tree.ts";

/** The binding power of tokens towards their left side; a token not listed ends an expression. */
const powers: Readonly<Partial<Record<TokenKind, number>>> = {
  "|": 1,
  "||": 2,
  "&&": 3,
  "==": 5,
  "!=": 5,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  "+": 6,
  "-": 6,
  "/": 7,
  "//": 7,
  "%": 7,
  "×": 7,
  "[]": 9,
  "*": 20,
  "[?": 21,
  ".": 40,
  "!": 45,
  "{": 50,
  "[": 55,
  "(": 60,
};

/** Tokens with a lower power end a projection's right side. */
const projectionEnd = 10;

/** The deepest nesting of expressions: hostile text cannot exhaust the stack. */
const maxDepth = 200;

const current: CommunityNode = { kind: "current" };

/**
 * Reads an expression of the community dialect: JMESPath with `let`, `$variables`, the root `$` and arithmetic.
 * A fault when it cannot be read, with the position.
 */
export function parse(text: string): CommunityNode | Fault {
  const tokens = tokenize(text);
  if (tokens instanceof Fault) return tokens;
  try {
    const parser = new Parser(tokens);
    const expression = parser.expression(0);
    parser.expect("end");
    return expression;
  } catch (cause) {
    if (cause instanceof Refusal) return cause.fault;
    throw cause;
  }
}

/** Thrown only inside the parser, so that its functions need no checks of each result. */
class Refusal extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

/** A Pratt parser over the tokens. */
class Parser {
  readonly #tokens: readonly CommunityToken[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly CommunityToken[]) {
    this.#tokens = tokens;
  }

  /** An expression whose operators bind more tightly than `power`. */
  expression(power: number): CommunityNode {
    if (++this.#depth > maxDepth) this.#refuse("expression is nested too deeply");
    let left = this.#prefix(this.#take());
    while (power < powerOf(this.#peek().kind)) left = this.#infix(left, this.#take());
    this.#depth--;
    return left;
  }

  /** Takes a token of this kind or throws. */
  expect(kind: TokenKind): CommunityToken {
    const token = this.#peek();
    return token.kind === kind ? this.#take() : this.#refuse(`expected ${spelled(kind)}`);
  }

  #prefix(token: CommunityToken): CommunityNode {
    switch (token.kind) {
      case "variable":
        return { kind: "variable", name: token.text };
      case "literal":
        return { kind: "literal", value: token.value };
      case "name":
        if (token.text === "let" && this.#peek().kind === "variable") return this.#let();
        return { kind: "field", name: token.text };
      case "quoted":
        if (this.#peek().kind === "(") this.#refuse("a quoted name cannot be a function", token);
        return { kind: "field", name: token.text };
      case "+":
      case "-":
        return { kind: "sign", operator: token.kind, operand: this.expression(powerOf(token.kind)) };
      case "*":
        return this.#peek().kind === "]"
          ? { kind: "projectValues", left: current, right: current }
          : { kind: "projectValues", left: current, right: this.#projected(powerOf("*")) };
      case "[?":
        return this.#filter(current);
      case "[]":
        return this.#flatten(current);
      case "{":
        return this.#object();
      case "[":
        return this.#bracket();
      case "@":
        return current;
      case "$":
        return { kind: "root" };
      case "&":
        return { kind: "reference", expression: this.expression(0), at: token.at };
      case "!":
        return { kind: "not", operand: this.expression(powerOf("!")) };
      case "(": {
        const inner = this.expression(0);
        this.expect(")");
        return inner;
      }
      default:
        return this.#refuse("expected an expression", token);
    }
  }

  #infix(left: CommunityNode, token: CommunityToken): CommunityNode {
    const { kind } = token;
    switch (kind) {
      case ".":
        if (this.#peek().kind !== "*") {
          return { kind: "sub", left, right: this.#dotted(powerOf(".")) };
        }
        this.#take();
        return { kind: "projectValues", left, right: this.#projected(powerOf(".")) };
      case "|":
        return { kind: "pipe", left, right: this.expression(powerOf(kind)) };
      case "||":
        return { kind: "or", left, right: this.expression(powerOf(kind)) };
      case "&&":
        return { kind: "and", left, right: this.expression(powerOf(kind)) };
      case "(": {
        if (left.kind !== "field") this.#refuse("only a name can be called", token);
        return { kind: "call", name: left.name, args: this.#arguments(), at: token.at };
      }
      case "[?":
        return this.#filter(left);
      case "[]":
        return this.#flatten(left);
      case "+":
      case "-":
      case "*":
      case "/":
      case "//":
      case "%":
      case "×":
        return arithmetic(kind === "×" ? "*" : kind, left, this.expression(powerOf(kind)));
      case "==":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
        return comparison(kind, left, this.expression(powerOf(kind)));
      case "[":
        if (this.#peek().kind === "number" || this.#peek().kind === ":") return this.#indexed(left);
        this.expect("*");
        this.expect("]");
        return { kind: "project", left, right: this.#projected(powerOf("*")), ofSlice: false };
      default:
        return this.#refuse("unexpected token", token);
    }
  }

  /** `[` at the start: an index, a slice, `[*]` or a list of expressions. */
  #bracket(): CommunityNode {
    const { kind } = this.#peek();
    if (kind === "number" || kind === ":") return this.#indexed(current);
    if (kind === "*" && this.#peek(1).kind === "]") {
      this.#take();
      this.#take();
      return { kind: "project", left: current, right: this.#projected(powerOf("*")), ofSlice: false };
    }
    return this.#list();
  }

  #indexed(left: CommunityNode): CommunityNode {
    if (this.#peek().kind === ":" || this.#peek(1).kind === ":") {
      const slice = this.#slice();
      const sliced: CommunityNode = { kind: "sub", left, right: slice };
      return { kind: "project", left: sliced, right: this.#projected(powerOf("*")), ofSlice: true };
    }
    const at = Number(this.expect("number").text);
    this.expect("]");
    return { kind: "sub", left, right: { kind: "index", at } };
  }

  #slice(): CommunityNode {
    const parts: (number | undefined)[] = [undefined, undefined, undefined];
    let part = 0;
    while (this.#peek().kind !== "]") {
      if (this.#peek().kind === ":") {
        if (++part === 3) this.#refuse("too many colons in a slice");
        this.#take();
      } else parts[part] = Number(this.expect("number").text);
    }
    this.expect("]");
    return { kind: "slice", start: parts[0], stop: parts[1], step: parts[2] };
  }

  #filter(left: CommunityNode): CommunityNode {
    const condition = this.expression(0);
    this.expect("]");
    const right = this.#peek().kind === "[]" ? current : this.#projected(powerOf("[?"));
    return { kind: "filter", left, right, condition };
  }

  #flatten(left: CommunityNode): CommunityNode {
    const flat: CommunityNode = { kind: "flatten", operand: left };
    return { kind: "project", left: flat, right: this.#projected(powerOf("[]")), ofSlice: false };
  }

  /** Parses the expression behind a projection, which is applied to each element. */
  #projected(power: number): CommunityNode {
    const { kind } = this.#peek();
    if (powerOf(kind) < projectionEnd) return current;
    if (kind === "[" || kind === "[?") return this.expression(power);
    if (kind !== ".") return this.#refuse("unexpected token after a projection");
    this.#take();
    return this.#dotted(power);
  }

  /** Parses the part after a dot. */
  #dotted(power: number): CommunityNode {
    const { kind } = this.#peek();
    if (kind === "name" || kind === "quoted" || kind === "*") return this.expression(power);
    if (kind === "[") {
      this.#take();
      return this.#list();
    }
    if (kind === "{") {
      this.#take();
      return this.#object();
    }
    return this.#refuse("expected a name, [ or { after the dot");
  }

  #list(): CommunityNode {
    const elements = [this.expression(0)];
    while (this.#peek().kind === ",") {
      this.#take();
      elements.push(this.expression(0));
    }
    this.expect("]");
    return { kind: "list", elements };
  }

  #object(): CommunityNode {
    const entries: CommunityEntry[] = [];
    do {
      if (entries.length > 0) this.expect(",");
      const key = this.#take();
      if (key.kind !== "name" && key.kind !== "quoted") this.#refuse("expected a key", key);
      this.expect(":");
      entries.push({ name: key.text, value: this.expression(0) });
    } while (this.#peek().kind !== "}");
    this.#take();
    return { kind: "object", entries };
  }

  #arguments(): readonly CommunityNode[] {
    const args: CommunityNode[] = [];
    while (this.#peek().kind !== ")") {
      if (args.length > 0) this.expect(",");
      args.push(this.expression(0));
    }
    this.#take();
    return args;
  }

  #let(): CommunityNode {
    const bindings: CommunityEntry[] = [];
    do {
      if (bindings.length > 0) this.expect(",");
      const name = this.expect("variable").text;
      this.expect("=");
      bindings.push({ name, value: this.expression(0) });
    } while (this.#peek().kind === ",");
    const keyword = this.#take();
    if (keyword.kind !== "name" || keyword.text !== "in") this.#refuse("expected in", keyword);
    return { kind: "let", bindings, body: this.expression(0) };
  }

  #peek(ahead = 0): CommunityToken {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)]!;
  }

  #take(): CommunityToken {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #refuse(message: string, token: CommunityToken = this.#peek()): never {
    throw new Refusal(syntaxFault(`${message}, found ${found(token)}`, token.at));
  }
}

function powerOf(kind: TokenKind): number {
  return powers[kind] ?? 0;
}

function spelled(kind: TokenKind): string {
  return kind === "end" ? "the end of the expression" : kind === "number" ? "a number" : kind;
}

function found({ kind, text }: CommunityToken): string {
  return kind === "end" ? "the end of the expression" : text;
}

function arithmetic(operator: Arithmetic, left: CommunityNode, right: CommunityNode): CommunityNode {
  return { kind: "arithmetic", operator, left, right };
}

function comparison(operator: ComparisonOperator, left: CommunityNode, right: CommunityNode): CommunityNode {
  return { kind: "comparison", operator, left, right };
}
