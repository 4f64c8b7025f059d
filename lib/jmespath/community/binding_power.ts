import type { TokenKind } from "./tokens.ts";

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

/** Returns how strongly a token binds its left side; 0 for a token that ends an expression. */
export function powerOf(kind: TokenKind): number {
  return powers[kind] ?? 0;
}
