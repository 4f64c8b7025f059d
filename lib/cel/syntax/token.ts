/** A piece of an expression's text. */
export interface CelToken {
  readonly kind: "ident" | "quotedIdent" | "int" | "uint" | "double" | "string" | "bytes" | "symbol" | "end";
  /** As written; of a quoted identifier what is between the backticks. */
  readonly text: string;
  readonly offset: number;
}

/** An error of the lexer. */
export interface LexError {
  readonly offset: number;
  readonly message: string;
}

const space = /[ \t\r\n\f]+|\/\/[^\n]*/y;
const ident = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedIdent = /`([A-Za-z0-9_.\-\/ ]+)`/y;
const double = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const integer = /(?:0x[0-9a-fA-F]+|\d+)/y;
const symbol = /(?:&&|\|\||==|!=|<=|>=|[-+*\/%<>!?:.,()[\]{}])/y;
const stringPrefix = /([bB]?[rR]?)?("""|'''|"|')/y;

/** Cuts the text of an expression into tokens; what is no token is reported and left out. */
export function tokenize(
  text: string,
): { readonly tokens: readonly CelToken[]; readonly errors: readonly LexError[] } {
  const tokens: CelToken[] = [], errors: LexError[] = [];
  let offset = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = offset;
    return pattern.exec(text);
  };
  const push = (kind: CelToken["kind"], length: number, content?: string): void => {
    tokens.push({ kind, text: content ?? text.slice(offset, offset + length), offset });
    offset += length;
  };
  while (offset < text.length) {
    const blank = match(space);
    if (blank !== null) {
      offset += blank[0].length;
      continue;
    }
    const quote = match(stringPrefix);
    if (quote !== null) {
      const end = endOfString(text, offset + quote[0].length, quote);
      if (end === undefined) {
        errors.push({ offset, message: `Syntax error: token recognition error at: '${text.slice(offset)}'` });
        offset = text.length;
        continue;
      }
      push(/b/i.test(quote[1] ?? "") ? "bytes" : "string", end - offset);
      continue;
    }
    const name = match(ident);
    if (name !== null) {
      push("ident", name[0].length);
      continue;
    }
    const quoted = match(quotedIdent);
    if (quoted !== null) {
      push("quotedIdent", quoted[0].length, quoted[1]!);
      continue;
    }
    const fraction = match(double);
    if (fraction !== null) {
      push("double", fraction[0].length);
      continue;
    }
    const whole = match(integer);
    if (whole !== null) {
      const unsigned = /[uU]/.test(text[offset + whole[0].length] ?? "");
      push(unsigned ? "uint" : "int", whole[0].length + (unsigned ? 1 : 0));
      continue;
    }
    const sign = match(symbol);
    if (sign !== null) {
      push("symbol", sign[0].length);
      continue;
    }
    const unknown = String.fromCodePoint(text.codePointAt(offset)!);
    errors.push({ offset, message: `Syntax error: token recognition error at: '${unknown}'` });
    offset += unknown.length;
  }
  tokens.push({ kind: "end", text: "<EOF>", offset: text.length });
  return { tokens, errors };
}

/** Where a string literal ends, after its closing quote; `undefined` when it does not. */
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
