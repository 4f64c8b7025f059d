import type { CelExpression } from "./expression.ts";
import { hasOnlyEscapes, readBytes, readNumber, readString } from "./literal.ts";
import type { CelToken } from "./token.ts";
import type { TokenStream } from "./token_stream.ts";

/** Parses the token of a text or of bytes. */
export function textLiteral(token: CelToken, tokens: TokenStream): CelExpression {
  const { kind, text, offset } = token;
  const value = kind === "bytes" ? readBytes(text) : readString(text);
  return value === undefined ? badEscape(token, tokens) : { kind: "literal", value, offset };
}

function badEscape({ kind, offset, text }: CelToken, tokens: TokenStream): CelExpression {
  if (!hasOnlyEscapes(text)) return tokens.report(offset, `invalid escape sequence in ${text}`);
  return tokens.report(
    offset,
    kind === "bytes" ? "unable to unescape string" : "invalid unicode code point",
  );
}

/** Parses the token of a number, which may have a sign before it. */
export function numberLiteral(
  { kind, text, offset }: CelToken,
  sign: "" | "-",
  tokens: TokenStream,
): CelExpression {
  if (kind !== "int" && kind !== "uint" && kind !== "double") {
    return tokens.report(offset, `Syntax error: mismatched input '${text}' expecting a number`);
  }
  const value = readNumber(kind, sign + text);
  return value === undefined
    ? tokens.report(offset, `invalid ${kind} literal`)
    : { kind: "literal", value, offset: sign === "" ? offset : offset - 1 };
}
