import { Fault, type Json, parseJson } from "../../json/mod.ts";
import { syntaxFault } from "./syntax_fault.ts";

/** Tokens that stand for themselves. */
const symbols = [
  "[?",
  "[]",
  "||",
  "&&",
  "==",
  "!=",
  "<=",
  ">=",
  "//",
  ".",
  "*",
  ",",
  ":",
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  "@",
  "+",
  "-",
  "%",
  "/",
  "|",
  "<",
  ">",
  "!",
  "&",
  "=",
] as const;

/** The kind of a token; a symbol is its own kind. `$` is the root, `end` follows the last token. */
export type TokenKind =
  | (typeof symbols)[number]
  | "name"
  | "quoted"
  | "number"
  | "literal"
  | "variable"
  /** Multiplication that cannot be taken for a projection; it binds as division does. */
  | "×"
  | "$"
  | "end";

/** A token with its position in the text, counted from 0 in UTF-16 units. */
export interface CommunityToken {
  readonly kind: TokenKind;
  /** A name without `$` or quotes, a number's digits, or the symbol. */
  readonly text: string;
  /** The value of a literal. */
  readonly value: Json;
  readonly at: number;
}

/** Typographic signs that mean the same as a symbol. */
const spellings: Readonly<Record<string, TokenKind>> = { "\u2212": "-", "\u00d7": "×", "\u00f7": "/" };

/** Splits an expression into tokens; a fault has the position of the text that cannot be read. */
export function tokenize(text: string): CommunityToken[] | Fault {
  const tokens: CommunityToken[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const character = text[at]!;
    if (" \t\n\r".includes(character)) {
      at++;
      continue;
    }
    const token = tokenAt(text, at);
    if (token instanceof Fault) return token;
    tokens.push({ kind: token.kind, text: token.text, value: token.value ?? null, at: start });
    at = token.end;
  }
  tokens.push({ kind: "end", text: "", value: null, at });
  return tokens;
}

interface Read {
  readonly kind: TokenKind;
  readonly text: string;
  readonly value?: Json;
  readonly end: number;
}

function tokenAt(text: string, at: number): Read | Fault {
  const character = text[at]!;
  if (isNameStart(character)) return named(text, at, "name");
  if (character === "$") {
    const variable = named(text, at + 1, "variable");
    return variable.text === "" ? { kind: "$", text: "$", end: at + 1 } : variable;
  }
  if (isDigit(character) || (character === "-" && isDigit(text[at + 1] ?? ""))) {
    let end = at + 1;
    while (isDigit(text[end] ?? "")) end++;
    return { kind: "number", text: text.slice(at, end), end };
  }
  if (character === '"') return quotedName(text, at);
  if (character === "'") return rawString(text, at);
  if (character === "`") return jsonLiteral(text, at);
  const symbol = symbols.find((candidate) => text.startsWith(candidate, at));
  if (symbol !== undefined) return { kind: symbol, text: symbol, end: at + symbol.length };
  const spelling = Object.hasOwn(spellings, character) ? spellings[character] : undefined;
  if (spelling !== undefined) return { kind: spelling, text: character, end: at + 1 };
  return syntaxFault(`unknown character ${JSON.stringify(character)}`, at);
}

function named(text: string, start: number, kind: "name" | "variable"): Read {
  let end = start;
  while (isNameStart(text[end] ?? "") || isDigit(text[end] ?? "")) end++;
  return { kind, text: text.slice(start, end), end };
}

/** The position of the closing quote; a backslash protects the character after it. */
function closing(text: string, quote: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function quotedName(text: string, at: number): Read | Fault {
  const end = closing(text, '"', at + 1);
  if (end < 0) return syntaxFault('unclosed "', at);
  const name = parseJson(text.slice(at, end + 1));
  return typeof name === "string"
    ? { kind: "quoted", text: name, end: end + 1 }
    : syntaxFault("not a JSON string", at);
}

/** Single quotes: only `\'` and `\\` are escapes. */
function rawString(text: string, at: number): Read | Fault {
  const end = closing(text, "'", at + 1);
  if (end < 0) return syntaxFault("unclosed '", at);
  const value = text.slice(at + 1, end).replace(/\\(['\\])/g, "$1");
  return { kind: "literal", text: text.slice(at, end + 1), value, end: end + 1 };
}

function jsonLiteral(text: string, at: number): Read | Fault {
  const end = closing(text, "`", at + 1);
  if (end < 0) return syntaxFault("unclosed `", at);
  const value = parseJson(text.slice(at + 1, end).replaceAll("\\`", "`"));
  if (value === undefined) return syntaxFault("not a JSON value between backticks", at);
  return { kind: "literal", text: text.slice(at, end + 1), value, end: end + 1 };
}

function isNameStart(character: string): boolean {
  return (character >= "a" && character <= "z") || (character >= "A" && character <= "Z") ||
    character === "_";
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}
