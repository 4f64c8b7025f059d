import type { SyntaxProblem } from "./tree.ts";
import type { Token, TokenType } from "./tokens.ts";

/** Brackets, `!` and `&` inside one another; policies need about ten. */
const maxNesting = 200;

/** Tokens that end an operand: what follows continues it or stands beside it. */
const operandEnds: ReadonlySet<TokenType> = new Set([
  "UnquotedIdentifier",
  "QuotedIdentifier",
  "JSONLiteral",
  "StringLiteral",
  "Number",
  "Current",
  "Star",
  "Flatten",
  "Rparen",
  "Rbracket",
  "Rbrace",
]);

/** Tokens that begin an operand and never continue one. */
const operandStarts: ReadonlySet<TokenType> = new Set([
  "UnquotedIdentifier",
  "QuotedIdentifier",
  "JSONLiteral",
  "StringLiteral",
  "Number",
  "Current",
  "Expref",
]);

const afterDot: ReadonlySet<TokenType> = new Set([
  "UnquotedIdentifier",
  "QuotedIdentifier",
  "Star",
  "Lbracket",
  "Lbrace",
]);

/** What an open bracket is; a parenthesis groups unless an operand stands before it. */
type Open = "call" | "group" | "list" | "filter" | "object";

const closes: Readonly<Record<Open, TokenType>> = {
  call: "Rparen",
  group: "Rparen",
  list: "Rbracket",
  filter: "Rbracket",
  object: "Rbrace",
};

/** What reading the tokens in order teaches before any parsing. */
export interface Guarded {
  /** Indices of the parentheses that group, as opposed to those of calls. */
  readonly groups: ReadonlySet<number>;
  /** The first thing that the `jmespath` package would let pass and the reference refuses. */
  readonly problem: SyntaxProblem | undefined;
}

/**
 * Finds what the `jmespath` package's parser accepts and the reference's refuses (`a..b`, `[a b]`, `(a, b)`), and
 * nesting that would exhaust the stack.
 */
export function guard(tokens: readonly Token[]): Guarded {
  const groups = new Set<number>();
  const open: Open[] = [];
  let prefixes = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    const before = tokens[index - 1];
    const afterOperand = before !== undefined && operandEnds.has(before.type);
    const message = refusal(token, { before, afterOperand, inside: open.at(-1) });
    if (message !== undefined) {
      return { groups, problem: { message: `SyntaxError: ${message}`, offset: token.offset } };
    }
    prefixes = token.type === "Not" || token.type === "Expref" ? prefixes + 1 : 0;
    const opened = opens(token.type, afterOperand);
    if (opened === "group") groups.add(index);
    if (opened !== undefined) open.push(opened);
    else if (open.length > 0 && token.type === closes[open.at(-1)!]) open.pop();
    if (open.length + prefixes > maxNesting) {
      const problem = {
        message: `SyntaxError: more than ${maxNesting} levels of nesting`,
        offset: token.offset,
      };
      return { groups, problem };
    }
  }
  return { groups, problem: undefined };
}

function opens(type: TokenType, afterOperand: boolean): Open | undefined {
  switch (type) {
    case "Lparen":
      return afterOperand ? "call" : "group";
    case "Lbracket":
      return "list";
    case "Filter":
      return "filter";
    case "Lbrace":
      return "object";
    default:
      return undefined;
  }
}

interface Place {
  readonly before: Token | undefined;
  readonly afterOperand: boolean;
  readonly inside: Open | undefined;
}

function refusal(token: Token, { before, afterOperand, inside }: Place): string | undefined {
  const { type } = token;
  if (before?.type === "Dot" && !afterDot.has(type)) return "Expected identifier, lbracket, or lbrace";
  if (type === "Unknown") {
    return afterOperand
      ? "Unexpected token at the end of the expression: tUnknown"
      : "Invalid token: tUnknown";
  }
  if (afterOperand && (type === "Star" || type === "Not" || type === "Lbrace")) {
    return `Unexpected token: t${type}`;
  }
  if (before?.type === "Lparen" && inside === "group" && type === "Rparen") return "Invalid token: tRparen";
  const beside = afterOperand && operandStarts.has(type);
  if (inside === "group" && (beside || type === "Comma")) return `Expected tRparen, received: t${type}`;
  if (inside === "list" && (beside || (afterOperand && type === "EOF"))) {
    return `Expected tComma, received: t${type}`;
  }
  if (inside === "list" && type === "Rbracket" && (before?.type === "Lbracket" || before?.type === "Comma")) {
    return "Invalid token: tRbracket";
  }
  return undefined;
}
