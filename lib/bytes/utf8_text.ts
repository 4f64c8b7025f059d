/**
 * Returns a function that decodes the pieces of a file in turn, without the mark at its beginning; the call without
 * a piece ends the text. It throws an error that says what the file is when the bytes are not UTF-8: a character that
 * stands in for them would be another value.
 */
export function utf8Decoder(): (piece?: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  return (piece) => {
    if (isFirst && piece !== undefined && piece.length > 0) {
      if (isUtf16(piece)) throw new Error("The file is UTF-16: save it as UTF-8");
      isFirst = false;
    }
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new Error("The file is not UTF-8: save it as UTF-8");
    }
  };
}

/** Whether the bytes begin with the mark of UTF-16, which PowerShell's redirection writes. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
