import { isCelFault } from "../fault.ts";
import { toFloat, toInt, toUint, type Value } from "../values/mod.ts";

/** The value of a number's text, or `undefined` when it does not fit its type. */
export function readNumber(kind: "int" | "uint" | "double", text: string): Value | undefined {
  if (kind === "double") {
    const value = Number(text);
    return Number.isFinite(value) ? toFloat(value) : undefined;
  }
  const negative = text.startsWith("-");
  const digits = BigInt(text.replace(/^-/, "").replace(/[uU]$/, ""));
  const value = kind === "uint" ? toUint(digits) : toInt(negative ? -digits : digits);
  return isCelFault(value) ? undefined : value;
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
  "\\": 0x5c,
  "'": 0x27,
  '"': 0x22,
  "`": 0x60,
  "?": 0x3f,
};

interface Quoted {
  readonly raw: boolean;
  readonly body: string;
}

function unquote(text: string): Quoted {
  const [, prefix, quote] = /^([a-zA-Z]*)("""|'''|"|')/.exec(text)!;
  return {
    raw: /r/i.test(prefix!),
    body: text.slice(prefix!.length + quote!.length, -quote!.length).replace(/\r\n?/g, "\n"),
  };
}

/** The text of a string literal as written, with quotes; `undefined` when an escape in it is not valid. */
export function readString(text: string): string | undefined {
  const { raw, body } = unquote(text);
  if (raw || !body.includes("\\")) return body;
  let result = "";
  for (const piece of pieces(body)) {
    if (piece === undefined) return undefined;
    if (typeof piece === "string") result += piece;
    else if (piece.code > 0x10ffff || (piece.code >= 0xd800 && piece.code < 0xe000)) return undefined;
    else result += String.fromCodePoint(piece.code);
  }
  return result;
}

/** The bytes of a bytes literal as written, with prefix and quotes; `undefined` when an escape is not valid. */
export function readBytes(text: string): Uint8Array | undefined {
  const { raw, body } = unquote(text);
  const encoder = new TextEncoder();
  if (raw || !body.includes("\\")) return encoder.encode(body);
  const bytes: number[] = [];
  for (const piece of pieces(body)) {
    // In bytes an escape is one octet; \u and \U belong to strings alone.
    if (piece === undefined) return undefined;
    if (typeof piece === "string") { for (const byte of encoder.encode(piece)) bytes.push(byte); }
    else if (piece.unicode || piece.code > 255) return undefined;
    else bytes.push(piece.code);
  }
  return Uint8Array.from(bytes);
}

/** Whether all escapes of a literal have a valid form, whatever they stand for. */
export function hasOnlyEscapes(text: string): boolean {
  for (const piece of pieces(unquote(text).body)) if (piece === undefined) return false;
  return true;
}

/** Yields runs of plain text and the numbers of escapes; `undefined` for an invalid escape. */
function* pieces(body: string): Generator<string | { code: number; unicode: boolean } | undefined> {
  const pattern =
    /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))|[^\\]+/gsu;
  let end = 0;
  for (const match of body.matchAll(pattern)) {
    end = match.index + match[0].length;
    if (!match[0].startsWith("\\")) {
      yield match[0];
      continue;
    }
    const [, x, upperX, u, upperU, octal, single] = match;
    const hex = x ?? upperX ?? u ?? upperU;
    if (hex !== undefined) yield { code: parseInt(hex, 16), unicode: (u ?? upperU) !== undefined };
    else if (octal !== undefined) yield { code: parseInt(octal, 8), unicode: false };
    else {
      const code = Object.hasOwn(simpleEscapes, single!) ? simpleEscapes[single!] : undefined;
      yield code === undefined ? undefined : { code, unicode: false };
    }
  }
  if (end < body.length) yield undefined;
}
