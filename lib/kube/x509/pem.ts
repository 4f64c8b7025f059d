import { Fault } from "../../json/mod.ts";
import { decodeBase64 } from "../go_base64.ts";

/** A block of PEM. */
export interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const begin = "-----BEGIN ";

/** The first block of a text that can be decoded, as Go's `pem.Decode` finds it. */
export function decodePem(text: string): PemBlock | undefined {
  for (let start = 0;;) {
    const found = text.startsWith(begin, start) ? start : text.indexOf(`\n${begin}`, start) + 1;
    if (found === 0 && !text.startsWith(begin)) return undefined;
    const typeAt = found + begin.length;
    const block = decodeAt(text, typeAt);
    if (block !== undefined) return block;
    start = typeAt;
    if (text.indexOf(`\n${begin}`, start) < 0) return undefined;
  }
}

function decodeAt(text: string, typeAt: number): PemBlock | undefined {
  const lineEnd = endOfLine(text, typeAt);
  const line = text.slice(typeAt, lineEnd).trimEnd();
  if (!line.endsWith("-----")) return undefined;
  const type = line.slice(0, -5);
  let body = lineEnd + 1;
  // Headers are lines with a colon.
  for (let end = endOfLine(text, body); body < text.length && text.slice(body, end).includes(":");) {
    body = end + 1;
    end = endOfLine(text, body);
  }
  const trailer = `-----END ${type}-----`;
  const end = text.startsWith(trailer, body) ? body : text.indexOf(`\n${trailer}`, body - 1);
  if (end < 0) return undefined;
  const after = text.slice(end + trailer.length + (end === body ? 0 : 1));
  if (!/^[ \t\r]*(?:\n|$)/.test(after)) return undefined;
  const bytes = decodeBase64(text.slice(body, Math.max(body, end)).replace(/[ \t]+/g, ""));
  return bytes instanceof Fault ? undefined : { type, bytes };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
