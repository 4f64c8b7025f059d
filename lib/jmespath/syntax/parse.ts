import jmespath from "jmespath";
import type { TextProblem } from "../../diagnostics/mod.ts";
import type { Json } from "../../json/mod.ts";
import { growth } from "./growth.ts";
import { guard } from "./guard.ts";
import { type Token, tokenize } from "./tokens.ts";
import type { ComparisonOperator, Expression } from "./tree.ts";

/** Characters of one expression; the longest in use have some thousands. */
const maxLength = 100_000;

/** Levels of the tree, so that nothing that walks it exhausts the stack. */
const maxDepth = 1_000;

/** Copies of the input in a result; policies make some tens. */
const maxGrowth = 10_000;

/** A node as the `jmespath` package builds it. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly children?: readonly (Node | number | null)[];
}

/** The package's parser; its published types only know `search`. */
const { compile } = jmespath as unknown as { compile(text: string): Node | undefined };

let parsed = 0;

/** How many expressions have been parsed in this process. */
export function expressionsParsed(): number {
  return parsed;
}

/**
 * Parses an expression. Postern reads and checks the tokens; the grammar is the `jmespath` package's. The package
 * gets them in a spelling without its ambiguities: literals as numbers into a table, `@` and groups as calls of
 * functions, because its parser fails on `length(@.a)` and leaves no groups in its tree.
 */
export function parse(source: string): Expression | TextProblem {
  parsed++;
  if (source.length > maxLength) {
    return { message: `SyntaxError: expression is longer than ${maxLength} characters`, offset: maxLength };
  }
  const tokens = tokenize(source);
  if ("message" in tokens) return tokens;
  const { groups, problem } = guard(tokens);
  const spelling = spell(tokens, groups);
  const node = attempt(spelling.words.join(" "));
  const failed = node instanceof Error ? firstFailure(spelling.words, tokens, node) : undefined;
  if (problem !== undefined || node instanceof Error) return earlier(problem, failed);
  const tree = convert(node, { tokens, group: spelling.group, depth: 0 });
  if (tree === undefined) {
    return { message: `SyntaxError: more than ${maxDepth} levels of nesting`, offset: 0 };
  }
  if (growth(tree) <= maxGrowth) return tree;
  return { message: `SyntaxError: the result could hold its input more than ${maxGrowth} times`, offset: 0 };
}

function earlier(left: TextProblem | undefined, right: TextProblem | undefined): TextProblem {
  if (left === undefined || right === undefined) return left ?? right!;
  return left.offset <= right.offset ? left : right;
}

function spell(
  tokens: readonly Token[],
  groups: ReadonlySet<number>,
): { readonly words: readonly string[]; readonly group: string } {
  let group = "group";
  while (tokens.some((token) => token.text === group)) group += "_";
  const words = tokens.map((token, index) => {
    switch (token.type) {
      case "JSONLiteral":
      case "StringLiteral":
        return `\`${index}\``;
      case "QuotedIdentifier":
        return JSON.stringify(token.value);
      case "Current":
        return `${group}(@)`;
      case "Lparen":
        return groups.has(index) ? `${group}(` : "(";
      case "Number":
        return String(token.value);
      default:
        return token.text;
    }
  });
  return { words, group };
}

function attempt(text: string): Node | Error {
  try {
    return compile(text) ?? new Error("empty");
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

/**
 * The problem of the first word that the parser cannot parse. Its errors carry no position; but a beginning of the
 * text that holds the offending word fails for the same reason, and a shorter one only because its end is missing.
 */
function firstFailure(words: readonly string[], tokens: readonly Token[], whole: Error): TextProblem {
  const failsAt = (count: number): Error | undefined => {
    const result = attempt(words.slice(0, count).join(" "));
    return result instanceof Error && !wantsMore(result) ? result : undefined;
  };
  let low = 0, high = tokens.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (failsAt(middle) === undefined) low = middle;
    else high = middle;
  }
  const token = tokens[high - 1]!;
  const error = failsAt(high) ?? whole;
  return { message: `SyntaxError: ${inKyvernosWords(error.message, token)}`, offset: token.offset };
}

function wantsMore(error: Error): boolean {
  return /\bEOF\b|^Syntax error/.test(error.message) || error.message === "empty";
}

/** The package's message in the words of Kyverno's library, go-jmespath. */
function inKyvernosWords(message: string, token: Token): string {
  const received = `t${token.type}`,
    unexpected = `Unexpected token at the end of the expression: ${received}`;
  const expected = /^Expected (\w+), got/.exec(message)?.[1];
  if (expected !== undefined) return `Expected t${expected}, received: ${received}`;
  if (message.startsWith("Unexpected token type")) {
    return unexpected;
  }
  if (message.startsWith("Invalid token")) {
    return token.type === "EOF" ? "Incomplete expression" : `Invalid token: ${received}`;
  }
  // The package has no precedence for these and says so by an error of its own.
  if (message.startsWith("Sytanx error") && /Colon|Literal/.test(token.type)) return unexpected;
  if (message.startsWith("Quoted identifier")) return "Can't have quoted identifier as function Name.";
  if (message.startsWith("Expecting an identifier")) {
    return "Expected tQuotedIdentifier or tUnquotedIdentifier";
  }
  return message.startsWith("Unexpected token Rbracket") ? `Invalid token: ${received}` : "Error";
}

interface Conversion {
  readonly tokens: readonly Token[];
  readonly group: string;
  readonly depth: number;
}

const comparisons: Readonly<Record<string, ComparisonOperator>> = {
  EQ: "==",
  NE: "!=",
  LT: "<",
  LTE: "<=",
  GT: ">",
  GTE: ">=",
};

/** Nodes of two expressions, by the package's types. */
const pairs: Readonly<Record<string, "pipe" | "projection" | "values" | "or" | "and">> = {
  Pipe: "pipe",
  Projection: "projection",
  ValueProjection: "values",
  OrExpression: "or",
  AndExpression: "and",
};

/** Nodes of one expression, by the package's types. */
const singles: Readonly<Record<string, "flatten" | "not" | "reference">> = {
  Flatten: "flatten",
  NotExpression: "not",
  ExpressionReference: "reference",
};

/** Makes Postern's tree of the package's; `undefined` when it is too deep. */
function convert(node: Node, { tokens, group, depth }: Conversion): Expression | undefined {
  if (depth > maxDepth) return undefined;
  const deeper = { tokens, group, depth: depth + 1 }, { type } = node;
  const children = type === "Slice" ? [] : convertAll(node.children as Node[] | undefined, deeper);
  if (children === undefined) return undefined;
  const [left, right, third] = children as [Expression, Expression, Expression];
  const pair = pairs[type], single = singles[type];
  if (pair !== undefined) return { kind: pair, left, right };
  if (single !== undefined) return { kind: single, of: left };
  switch (type) {
    case "Identity":
    case "Current":
      return { kind: "current" };
    case "Literal":
      return { kind: "literal", value: tokens[node.value as number]!.value as Json };
    case "Field":
      return { kind: "field", name: node.name! };
    case "Index":
      return { kind: "index", index: node.value as number };
    case "Slice": {
      const [start, stop, step] = (node.children as (number | null)[]).map((part) => part ?? undefined);
      return { kind: "slice", start, stop, step };
    }
    case "Subexpression":
    case "IndexExpression":
      return left.kind === "current" ? right : { kind: "sub", left, right };
    case "FilterProjection":
      return { kind: "filter", left, condition: third, right };
    case "Comparator":
      return { kind: "compare", operator: comparisons[node.name!]!, left, right };
    case "MultiSelectList":
      return { kind: "list", items: children };
    case "MultiSelectHash":
      return {
        kind: "object",
        entries: node.children!.map((child, index) => ({
          key: (child as Node).name!,
          value: children[index]!,
        })),
      };
    case "KeyValuePair":
      return convert(node.value as Node, deeper);
    case "Function":
      return node.name === group ? left : { kind: "call", name: node.name, args: children };
    default:
      return undefined;
  }
}

function convertAll(nodes: readonly Node[] = [], conversion: Conversion): Expression[] | undefined {
  const all: Expression[] = [];
  for (const node of nodes) {
    const converted = convert(node, conversion);
    if (converted === undefined) return undefined;
    all.push(converted);
  }
  return all;
}
