import type { TextProblem } from "../../diagnostics/mod.ts";
import { goJsonProblem, type Json, maxJsonDepth, nestsDeeperThan, parseJson } from "../../json/mod.ts";

/** The kind of a token. The names are those of Kyverno's messages without their `t`. */
export type TokenType =
  | "Star"
  | "Dot"
  | "Filter"
  | "Flatten"
  | "Lparen"
  | "Rparen"
  | "Lbracket"
  | "Rbracket"
  | "Lbrace"
  | "Rbrace"
  | "Or"
  | "Pipe"
  | "Number"
  | "UnquotedIdentifier"
  | "QuotedIdentifier"
  | "Comma"
  | "Colon"
  | "LT"
  | "LTE"
  | "GT"
  | "GTE"
  | "EQ"
  | "NE"
  | "JSONLiteral"
  | "StringLiteral"
  | "Current"
  | "Expref"
  | "And"
  | "Not"
  | "Unknown"
  | "EOF";

/** One word of an expression. */
export interface Token {
  readonly type: TokenType;
  /** As written, for words without a value of their own. */
  readonly text: string;
  /** Where it begins, in UTF-16 units from 0. */
  readonly offset: number;
  /** A name's decoded text, a literal's value, a number. */
  readonly value: Json;
  /** The problem of the value, which matters only where the grammar wants a value. */
  readonly problem?: string;
}

// Longest first, so that `||` is not read as two pipes.
const marks: readonly (readonly [text: string, type: TokenType])[] = [
  ["||", "Or"],
  ["&&", "And"],
  ["==", "EQ"],
  ["!=", "NE"],
  ["<=", "LTE"],
  [">=", "GTE"],
  ["[?", "Filter"],
  ["[]", "Flatten"],
  ["|", "Pipe"],
  ["&", "Expref"],
  ["=", "Unknown"],
  ["!", "Not"],
  ["<", "LT"],
  [">", "GT"],
  ["[", "Lbracket"],
  ["]", "Rbracket"],
  ["{", "Lbrace"],
  ["}", "Rbrace"],
  ["(", "Lparen"],
  [")", "Rparen"],
  [".", "Dot"],
  ["*", "Star"],
  [",", "Comma"],
  [":", "Colon"],
  ["@", "Current"],
];

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const digits = /-?[0-9]+|-/y;

/**
 * Splits an expression into words by the rules of Kyverno's lexer, which the `jmespath` package relaxes: quotes
 * must be closed, a literal between backticks must be JSON, a number has at most one sign.
 */
export function tokenize(source: string): readonly Token[] | TextProblem {
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < source.length) {
    const char = source[offset]!;
    if (char === " " || char === "\t" || char === "\n" || char === "\r") {
      offset++;
      continue;
    }
    const token = readToken(source, offset);
    if ("message" in token) return token;
    tokens.push(token.token);
    offset = token.end;
  }
  tokens.push({ type: "EOF", text: "", offset: source.length, value: null });
  return tokens;
}

type Read = { readonly token: Token; readonly end: number };

function readToken(source: string, offset: number): Read | TextProblem {
  switch (source[offset]) {
    case '"':
      return readQuotedName(source, offset);
    case "'":
      return readRawString(source, offset);
    case "`":
      return readJsonLiteral(source, offset);
  }
  const word = matchAt(name, source, offset);
  if (word !== undefined) return read("UnquotedIdentifier", word, { offset, value: word });
  const number = matchAt(digits, source, offset);
  if (number !== undefined) return readNumber(number, offset);
  for (const [text, type] of marks) {
    if (source.startsWith(text, offset)) return read(type, text, { offset, value: null });
  }
  return { message: `SyntaxError: Unknown char: ${quoteRune(source.codePointAt(offset)!)}`, offset };
}

function matchAt(pattern: RegExp, source: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(source)?.[0];
}

function read(type: TokenType, text: string, { offset, value }: { offset: number; value: Json }): Read {
  return { token: { type, text, offset, value }, end: offset + text.length };
}

function readNumber(text: string, offset: number): Read {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return read("Number", text, { offset, value });
  const reason = text === "-" ? "invalid syntax" : "value out of range";
  return flawed(read("Number", text, { offset, value: 0 }), `strconv.Atoi: parsing "${text}": ${reason}`);
}

function flawed({ token, end }: Read, problem: string): Read {
  return { token: { ...token, problem }, end };
}

/** The offset of the closing quote, skipping what a backslash protects; `undefined` when there is none. */
function closing(source: string, from: number, quote: string): number | undefined {
  for (let index = from; index < source.length; index++) {
    if (source[index] === "\\") index++;
    else if (source[index] === quote) return index;
  }
  return undefined;
}

function unclosed(source: string, quote: string): TextProblem {
  return { message: `SyntaxError: Unclosed delimiter: ${quote}`, offset: source.length };
}

function readQuotedName(source: string, offset: number): Read | TextProblem {
  const end = closing(source, offset + 1, '"');
  if (end === undefined) return unclosed(source, '"');
  const text = source.slice(offset, end + 1);
  const value = parseJson(text);
  if (value === undefined) return { message: goJsonProblem(text), offset };
  return read("QuotedIdentifier", text, { offset, value });
}

function readJsonLiteral(source: string, offset: number): Read | TextProblem {
  const end = closing(source, offset + 1, "`");
  if (end === undefined) return unclosed(source, "`");
  const json = source.slice(offset + 1, end).replaceAll("\\`", "`");
  const value = parseJson(json);
  const literal = read("JSONLiteral", source.slice(offset, end + 1), { offset, value: value ?? null });
  return value === undefined ? flawed(literal, problemOf(json)) : literal;
}

function problemOf(json: string): string {
  return nestsDeeperThan(maxJsonDepth, json) ? "exceeded max depth" : goJsonProblem(json);
}

/** In a raw string only `\'` means something else than it says. */
function readRawString(source: string, offset: number): Read | TextProblem {
  for (let index = offset + 1; index < source.length; index++) {
    if (source[index] === "\\" && source[index + 1] === "'") index++;
    else if (source[index] === "'") {
      const text = source.slice(offset, index + 1);
      return read("StringLiteral", text, { offset, value: text.slice(1, -1).replaceAll("\\'", "'") });
    }
  }
  return unclosed(source, "'");
}

/** An unknown character as Kyverno's messages name it: `'+'`, `'\u00e9'`. */
function quoteRune(code: number): string {
  if (code >= 0x20 && code < 0x7f) return `'${code === 0x5c ? "\\\\" : String.fromCodePoint(code)}'`;
  const named = "\\a\\b\\t\\n\\v\\f\\r".slice((code - 7) * 2, (code - 7) * 2 + 2);
  if (code >= 7 && code <= 13) return `'${named}'`;
  const hex = code.toString(16);
  if (code < 0x80) return `'\\x${hex.padStart(2, "0")}'`;
  return code > 0xffff ? `'\\U${hex.padStart(8, "0")}'` : `'\\u${hex.padStart(4, "0")}'`;
}
