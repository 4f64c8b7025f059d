import { Fault } from "../../json/mod.ts";
import { decodeBase64 } from "../go_base64.ts";

/** A block of PEM. */
export interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const begin = "-----BEGIN ";

/** The first block of a text that can be decoded, as Go's `pem.Decode` finds it. It reads a text once. */
export function decodePem(text: string): PemBlock | undefined {
  const blocks = new Blocks(text);
  for (let start = 0;;) {
    const found = text.startsWith(begin, start) ? start : text.indexOf(`\n${begin}`, start) + 1;
    if (found === 0 && !text.startsWith(begin)) return undefined;
    const typeAt = found + begin.length;
    const next = text.indexOf(`\n${begin}`, typeAt);
    const block = blocks.decode(typeAt);
    if (block !== undefined) return block;
    if (next < 0) return undefined;
    start = typeAt;
  }
}

/** Where a text's headers, bodies and ends are, which many begins may share. */
class Blocks {
  readonly #text: string;
  /** The end of the headers that were read last. */
  #headersEnd = 0;
  /** The next line that ends a block. */
  #end = -1;
  /** The body that was decoded last, which is not base64 or is followed by text. */
  #broken = -1;

  constructor(text: string) {
    this.#text = text;
  }

  decode(typeAt: number): PemBlock | undefined {
    const text = this.#text;
    const lineEnd = endOfLine(text, typeAt);
    const line = text.slice(typeAt, lineEnd).trimEnd();
    if (!line.endsWith("-----")) return undefined;
    const type = line.slice(0, -5), trailer = `-----END ${type}-----`;
    const body = this.#skipHeaders(lineEnd + 1);
    const end = text.startsWith(trailer, body) ? body : this.#endAfter(body - 1);
    const trailerAt = end === body ? end : end + 1;
    // Lines of another type, and other begins, would be no base64.
    if (!text.startsWith(trailer, trailerAt) || body === this.#broken) return undefined;
    this.#broken = body;
    if (!/^[ \t\r]*(?:\n|$)/.test(text.slice(trailerAt + trailer.length))) return undefined;
    const content = text.slice(body, Math.max(body, end));
    if (content.includes("-")) return undefined;
    const bytes = decodeBase64(content.replace(/[ \t]+/g, ""));
    return bytes instanceof Fault ? undefined : { type, bytes };
  }

  /** Headers are lines with a colon. */
  #skipHeaders(start: number): number {
    const text = this.#text;
    if (start < this.#headersEnd) return this.#headersEnd;
    let body = start;
    for (let end = endOfLine(text, body); body < text.length && text.slice(body, end).includes(":");) {
      body = end + 1;
      end = endOfLine(text, body);
    }
    return this.#headersEnd = body;
  }

  #endAfter(start: number): number {
    if (this.#end < start) this.#end = this.#text.indexOf("\n-----END ", start);
    if (this.#end < 0) this.#end = Infinity;
    return this.#end;
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
