import { Fault } from "../../json/mod.ts";
import { powerOf } from "./binding_power.ts";
import { SyntaxRefusal, TokenReader } from "./token_reader.ts";
import { type CommunityToken, tokenize } from "./tokens.ts";
import type { ComparisonOperator } from "../syntax/tree.ts";
import type { Arithmetic, CommunityEntry, CommunityNode } from "./tree.ts";

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
    const reader = new TokenReader(tokens);
    const expression = new Parser(reader).expression(0);
    reader.expect("end");
    return expression;
  } catch (cause) {
    if (cause instanceof SyntaxRefusal) return cause.fault;
    throw cause;
  }
}

/** A Pratt parser over the tokens. */
class Parser {
  readonly #tokens: TokenReader;
  #depth = 0;

  constructor(tokens: TokenReader) {
    this.#tokens = tokens;
  }

  /** An expression whose operators bind more tightly than `power`. */
  expression(power: number): CommunityNode {
    if (++this.#depth > maxDepth) this.#tokens.refuse("expression is nested too deeply");
    let left = this.#prefix(this.#tokens.take());
    while (power < powerOf(this.#tokens.peek().kind)) left = this.#infix(left, this.#tokens.take());
    this.#depth--;
    return left;
  }

  #prefix(token: CommunityToken): CommunityNode {
    switch (token.kind) {
      case "variable":
        return { kind: "variable", name: token.text };
      case "literal":
        return { kind: "literal", value: token.value };
      case "name":
        if (token.text === "let" && this.#tokens.peek().kind === "variable") return this.#let();
        return { kind: "field", name: token.text };
      case "quoted":
        if (this.#tokens.peek().kind === "(") {
          this.#tokens.refuse("a quoted name cannot be a function", token);
        }
        return { kind: "field", name: token.text };
      case "+":
      case "-":
        return { kind: "sign", operator: token.kind, operand: this.expression(powerOf(token.kind)) };
      case "*":
        return this.#tokens.peek().kind === "]"
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
        this.#tokens.expect(")");
        return inner;
      }
      default:
        return this.#tokens.refuse("expected an expression", token);
    }
  }

  #infix(left: CommunityNode, token: CommunityToken): CommunityNode {
    const { kind } = token;
    switch (kind) {
      case ".":
        if (this.#tokens.peek().kind !== "*") {
          return { kind: "sub", left, right: this.#dotted(powerOf(".")) };
        }
        this.#tokens.take();
        return { kind: "projectValues", left, right: this.#projected(powerOf(".")) };
      case "|":
        return { kind: "pipe", left, right: this.expression(powerOf(kind)) };
      case "||":
        return { kind: "or", left, right: this.expression(powerOf(kind)) };
      case "&&":
        return { kind: "and", left, right: this.expression(powerOf(kind)) };
      case "(": {
        if (left.kind !== "field") this.#tokens.refuse("only a name can be called", token);
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
        if (this.#tokens.peek().kind === "number" || this.#tokens.peek().kind === ":") {
          return this.#indexed(left);
        }
        this.#tokens.expect("*");
        this.#tokens.expect("]");
        return { kind: "project", left, right: this.#projected(powerOf("*")), ofSlice: false };
      default:
        return this.#tokens.refuse("unexpected token", token);
    }
  }

  /** `[` at the start: an index, a slice, `[*]` or a list of expressions. */
  #bracket(): CommunityNode {
    const { kind } = this.#tokens.peek();
    if (kind === "number" || kind === ":") return this.#indexed(current);
    if (kind === "*" && this.#tokens.peek(1).kind === "]") {
      this.#tokens.take();
      this.#tokens.take();
      return { kind: "project", left: current, right: this.#projected(powerOf("*")), ofSlice: false };
    }
    return this.#list();
  }

  #indexed(left: CommunityNode): CommunityNode {
    if (this.#tokens.peek().kind === ":" || this.#tokens.peek(1).kind === ":") {
      const slice = this.#slice();
      const sliced: CommunityNode = { kind: "sub", left, right: slice };
      return { kind: "project", left: sliced, right: this.#projected(powerOf("*")), ofSlice: true };
    }
    const at = Number(this.#tokens.expect("number").text);
    this.#tokens.expect("]");
    return { kind: "sub", left, right: { kind: "index", at } };
  }

  #slice(): CommunityNode {
    const parts: (number | undefined)[] = [undefined, undefined, undefined];
    let part = 0;
    while (this.#tokens.peek().kind !== "]") {
      if (this.#tokens.peek().kind === ":") {
        if (++part === 3) this.#tokens.refuse("too many colons in a slice");
        this.#tokens.take();
      } else parts[part] = Number(this.#tokens.expect("number").text);
    }
    this.#tokens.expect("]");
    return { kind: "slice", start: parts[0], stop: parts[1], step: parts[2] };
  }

  #filter(left: CommunityNode): CommunityNode {
    const condition = this.expression(0);
    this.#tokens.expect("]");
    const right = this.#tokens.peek().kind === "[]" ? current : this.#projected(powerOf("[?"));
    return { kind: "filter", left, right, condition };
  }

  #flatten(left: CommunityNode): CommunityNode {
    const flat: CommunityNode = { kind: "flatten", operand: left };
    return { kind: "project", left: flat, right: this.#projected(powerOf("[]")), ofSlice: false };
  }

  /** Parses the expression behind a projection, which is applied to each element. */
  #projected(power: number): CommunityNode {
    const { kind } = this.#tokens.peek();
    if (powerOf(kind) < projectionEnd) return current;
    if (kind === "[" || kind === "[?") return this.expression(power);
    if (kind !== ".") return this.#tokens.refuse("unexpected token after a projection");
    this.#tokens.take();
    return this.#dotted(power);
  }

  /** Parses the part after a dot. */
  #dotted(power: number): CommunityNode {
    const { kind } = this.#tokens.peek();
    if (kind === "name" || kind === "quoted" || kind === "*") return this.expression(power);
    if (kind === "[") {
      this.#tokens.take();
      return this.#list();
    }
    if (kind === "{") {
      this.#tokens.take();
      return this.#object();
    }
    return this.#tokens.refuse("expected a name, [ or { after the dot");
  }

  #list(): CommunityNode {
    const elements = [this.expression(0)];
    while (this.#tokens.peek().kind === ",") {
      this.#tokens.take();
      elements.push(this.expression(0));
    }
    this.#tokens.expect("]");
    return { kind: "list", elements };
  }

  #object(): CommunityNode {
    const entries: CommunityEntry[] = [];
    do {
      if (entries.length > 0) this.#tokens.expect(",");
      const key = this.#tokens.take();
      if (key.kind !== "name" && key.kind !== "quoted") this.#tokens.refuse("expected a key", key);
      this.#tokens.expect(":");
      entries.push({ name: key.text, value: this.expression(0) });
    } while (this.#tokens.peek().kind !== "}");
    this.#tokens.take();
    return { kind: "object", entries };
  }

  #arguments(): readonly CommunityNode[] {
    const args: CommunityNode[] = [];
    while (this.#tokens.peek().kind !== ")") {
      if (args.length > 0) this.#tokens.expect(",");
      args.push(this.expression(0));
    }
    this.#tokens.take();
    return args;
  }

  #let(): CommunityNode {
    const bindings: CommunityEntry[] = [];
    do {
      if (bindings.length > 0) this.#tokens.expect(",");
      const name = this.#tokens.expect("variable").text;
      this.#tokens.expect("=");
      bindings.push({ name, value: this.expression(0) });
    } while (this.#tokens.peek().kind === ",");
    const keyword = this.#tokens.take();
    if (keyword.kind !== "name" || keyword.text !== "in") this.#tokens.refuse("expected in", keyword);
    return { kind: "let", bindings, body: this.expression(0) };
  }
}

function arithmetic(operator: Arithmetic, left: CommunityNode, right: CommunityNode): CommunityNode {
  return { kind: "arithmetic", operator, left, right };
}

function comparison(operator: ComparisonOperator, left: CommunityNode, right: CommunityNode): CommunityNode {
  return { kind: "comparison", operator, left, right };
}
