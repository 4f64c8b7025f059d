import type { HttpError } from "./read_review.ts";

/**
 * The text of a body that arrives in parts. Bytes that are no UTF-8 are refused, because readers in Go replace them
 * otherwise, and a byte order mark stays in the text, where it is no JSON.
 */
export class BodyText {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #text = "";
  #isUtf8 = true;

  /** Adds the next bytes. */
  add(bytes: Uint8Array): void {
    this.#decode(bytes, { stream: true });
  }

  /** The whole text, or why it cannot be read. */
  end(): string | HttpError {
    this.#decode(new Uint8Array(), { stream: false });
    return this.#isUtf8 ? this.#text : notUtf8;
  }

  #decode(bytes: Uint8Array, options: { readonly stream: boolean }): void {
    if (!this.#isUtf8) return;
    try {
      this.#text += this.#decoder.decode(bytes, options);
    } catch {
      this.#isUtf8 = false;
    }
  }
}

/** The text of a body, or why it cannot be read. */
export function decodeBody(bytes: Uint8Array): string | HttpError {
  const text = lenient.decode(bytes);
  // Only a text with the character that stands for wrong bytes is read again: the strict decoder takes longer.
  if (!text.includes("\ufffd")) return text;
  const strict = new BodyText();
  strict.add(bytes);
  return strict.end();
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

const notUtf8: HttpError = { status: 417, message: "the body is not JSON: it is not in UTF-8", uid: "" };
