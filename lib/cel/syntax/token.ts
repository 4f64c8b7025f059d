import type { TextProblem } from "../../diagnostics/mod.ts";
/** A token of an expression's text. */
export interface CelToken {
  readonly kind: "ident" | "quotedIdent" | "int" | "uint" | "double" | "string" | "bytes" | "symbol" | "end";
  /** The text as written; for a quoted identifier, the text between the backticks. */
  readonly text: string;
  readonly offset: number;
}

const space = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y;
const ident = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedIdent = /`([A-Za-z0-9_.\-\/ ]+)`/y;
const double = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const integer = /(?:0x[0-9a-fA-F]+|\d+)/y;
const symbol = /(?:&&|\|\||==|!=|<=|>=|[-+*\/%<>!?:.,()[\]{}])/y;
const stringPrefix = /([bB]?[rR]?)?("""|'''|"|')/y;

/** The tokens besides strings, in the order in which they are tried. */
const plainTokens: readonly (readonly [kind: CelToken["kind"], pattern: RegExp])[] = [
  ["ident", ident],
  ["quotedIdent", quotedIdent],
  ["double", double],
  ["uint", new RegExp(`(?:${integer.source})[uU]`, "y")],
  ["int", integer],
  ["symbol", symbol],
];

/** Operators that other languages write with one character. */
const doubled: Readonly<Record<string, string>> = {
  "=": "write == to compare",
  "&": "write && for and",
  "|": "write || for or",
};

/** Splits the text of an expression into tokens. It reports and skips characters that belong to no token. */
export function tokenize(
  text: string,
): { readonly tokens: readonly CelToken[]; readonly errors: readonly TextProblem[] } {
  const tokens: CelToken[] = [], errors: TextProblem[] = [];
  let offset = matchAt(space, text, 0)?.[0].length ?? 0;
  while (offset < text.length) {
    const found = stringAt(text, offset) ?? plainAt(text, offset);
    if (found === undefined || found === "unterminated") {
      const unknown = found === undefined
        ? String.fromCodePoint(text.codePointAt(offset)!)
        : text.slice(offset);
      const message = `Syntax error: token recognition error at: '${unknown}'`;
      errors.push({ offset, message, hint: doubled[unknown] });
      offset += unknown.length;
    } else {
      const { kind, length, content = text.slice(offset, offset + length) } = found;
      tokens.push({ kind, text: content, offset });
      offset += length;
    }
    offset += matchAt(space, text, offset)?.[0].length ?? 0;
  }
  tokens.push({ kind: "end", text: "<EOF>", offset: text.length });
  return { tokens, errors };
}

function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/** A token at an offset; `content` differs from the text of its length for a quoted identifier. */
interface FoundToken {
  readonly kind: CelToken["kind"];
  readonly length: number;
  readonly content?: string;
}

function stringAt(text: string, offset: number): FoundToken | "unterminated" | undefined {
  const quote = matchAt(stringPrefix, text, offset);
  if (quote === null) return undefined;
  const end = endOfString(text, offset + quote[0].length, quote);
  if (end === undefined) return "unterminated";
  return { kind: /b/i.test(quote[1] ?? "") ? "bytes" : "string", length: end - offset };
}

function plainAt(text: string, offset: number): FoundToken | undefined {
  for (const [kind, pattern] of plainTokens) {
    const found = matchAt(pattern, text, offset);
    if (found === null) continue;
    const [{ length }, content] = found;
    return kind === "quotedIdent" ? { kind, length, content: content! } : { kind, length };
  }
  return undefined;
}

/** The end of a string literal, after its closing quote; `undefined` when it is not closed. */
function endOfString(text: string, start: number, [, prefix, quote]: RegExpExecArray): number | undefined {
  const raw = /r/i.test(prefix ?? ""), long = quote!.length === 3;
  for (let index = start; index < text.length; index++) {
    const unit = text[index]!;
    if (unit === "\\" && !raw) {
      index++;
      continue;
    }
    if (!long && (unit === "\n" || unit === "\r")) return undefined;
    if (text.startsWith(quote!, index)) return index + quote!.length;
  }
  return undefined;
}
