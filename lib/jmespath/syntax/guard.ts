import type { TextProblem } from "../../diagnostics/mod.ts";
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

/** Tokens that neither continue an element of a list nor end it. */
const endsNoList: ReadonlySet<TokenType> = new Set(["Rparen", "Rbrace", "Colon", "EOF"]);

/** Tokens that neither continue a group nor end it. */
const endsNoGroup: ReadonlySet<TokenType> = new Set(["Rbracket", "Rbrace", "Colon", "EOF"]);

const afterDot: ReadonlySet<TokenType> = new Set([
  "UnquotedIdentifier",
  "QuotedIdentifier",
  "Star",
  "Lbracket",
  "Lbrace",
]);

/** The tokens that may follow a colon between brackets. */
const afterColon: ReadonlySet<TokenType> = new Set(["Number", "Colon", "Rbracket"]);

/** The construct that an open bracket begins. A parenthesis groups unless an operand stands before it. */
type Open = "call" | "group" | "list" | "index" | "filter" | "object";

const closes: Readonly<Record<Open, TokenType>> = {
  call: "Rparen",
  group: "Rparen",
  list: "Rbracket",
  index: "Rbracket",
  filter: "Rbracket",
  object: "Rbrace",
};

/** The result of reading the tokens in order, before any parsing. */
export interface Guarded {
  /** Indices of the parentheses that group, as opposed to those of calls. */
  readonly groups: ReadonlySet<number>;
  /** The first thing that the `jmespath` package accepts and Kyverno refuses. */
  readonly problem: TextProblem | undefined;
}

/**
 * Finds what the `jmespath` package's parser accepts and Kyverno's refuses (`a..b`, `[a b]`, `(a, b)`), and
 * nesting that would exhaust the stack.
 */
export function guard(tokens: readonly Token[]): Guarded {
  const groups = new Set<number>();
  const open: Open[] = [];
  let prefixes = 0;
  for (const [index, token] of tokens.entries()) {
    const position = positionOf(tokens, index, open.at(-1));
    const message = refusal(token, position);
    if (message !== undefined) return { groups, problem: { message, offset: token.offset } };
    prefixes = token.type === "Not" || token.type === "Expref" ? prefixes + 1 : 0;
    const opened = opens(tokens, index, position.afterOperand);
    if (opened === "group") groups.add(index);
    if (opened !== undefined) open.push(opened);
    else if (open.length > 0 && token.type === closes[open.at(-1)!]) open.pop();
    if (open.length + prefixes > maxNesting) {
      const message = `SyntaxError: more than ${maxNesting} levels of nesting`;
      return { groups, problem: { message, offset: token.offset } };
    }
  }
  return { groups, problem: undefined };
}

/** Where a token stands. */
interface TokenPosition {
  readonly before: TokenType | undefined;
  readonly afterOperand: boolean;
  readonly inside: Open | undefined;
}

function positionOf(tokens: readonly Token[], index: number, inside: Open | undefined): TokenPosition {
  const before = tokens[index - 1]?.type;
  return { before, afterOperand: before !== undefined && operandEnds.has(before), inside };
}

function opens(tokens: readonly Token[], index: number, afterOperand: boolean): Open | undefined {
  switch (tokens[index]!.type) {
    case "Lparen":
      return afterOperand ? "call" : "group";
    case "Lbracket": {
      const next = tokens[index + 1]?.type;
      const isWildcard = next === "Star" && tokens[index + 2]?.type === "Rbracket";
      return next === "Number" || next === "Colon" || isWildcard ? "index" : "list";
    }
    case "Filter":
      return "filter";
    case "Lbrace":
      return "object";
    default:
      return undefined;
  }
}

/** Why Kyverno's parser would stop at a token. */
function refusal(token: Token, position: TokenPosition): string | undefined {
  const { type, problem } = token;
  const { before, afterOperand, inside } = position;
  if (problem !== undefined) {
    const wanted = type === "Number" ? inside === "index" : !afterOperand || inside === "call";
    if (wanted) return problem;
  }
  if (before === "Dot" && !afterDot.has(type)) return "SyntaxError: Expected identifier, lbracket, or lbrace";
  if (type === "Lparen" && afterOperand && before !== "UnquotedIdentifier" && before !== "QuotedIdentifier") {
    return "invalid node value type";
  }
  if (type === "Unknown") {
    return `SyntaxError: ${
      afterOperand ? "Unexpected token at the end of the expression" : "Invalid token"
    }: tUnknown`;
  }
  if (afterOperand && (type === "Star" || type === "Not" || type === "Lbrace")) {
    return `SyntaxError: ${
      before === "Star" || before === "Flatten" ? "Error" : `Unexpected token: t${type}`
    }`;
  }
  const inBracket = refusalInside(type, position);
  return inBracket === undefined ? undefined : `SyntaxError: ${inBracket}`;
}

/** Why the bracket that a token stands in does not allow it. */
function refusalInside(type: TokenType, { before, afterOperand, inside }: TokenPosition): string | undefined {
  const beside = afterOperand && operandStarts.has(type);
  switch (inside) {
    case "group":
      if (before === "Lparen" && type === "Rparen") return "Invalid token: tRparen";
      return beside || type === "Comma" || (afterOperand && endsNoGroup.has(type))
        ? `Expected tRparen, received: t${type}`
        : undefined;
    case "list":
      if (beside || (afterOperand && endsNoList.has(type))) return `Expected tComma, received: t${type}`;
      return type === "Rbracket" && !afterOperand ? "Invalid token: tRbracket" : undefined;
    case "index":
      return before === "Colon" && !afterColon.has(type)
        ? `Expected tColon or tNumber, received: t${type}`
        : undefined;
    case "object": {
      const atKey = before === "Lbrace" || before === "Comma" || beside;
      return atKey && type !== "UnquotedIdentifier" && type !== "QuotedIdentifier"
        ? "Expected tQuotedIdentifier or tUnquotedIdentifier"
        : undefined;
    }
    default:
      return undefined;
  }
}
