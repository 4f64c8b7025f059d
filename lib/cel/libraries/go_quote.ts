/** The characters that a quoted text escapes with a letter: for `%q` and for `strings.quote`. */
export const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** The characters that Go's `%q` escapes. */
const escaped = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A text in the form of Go's `%q`: in double quotes, with all non-printing characters escaped. */
export function goQuote(text: string): string {
  const content = text.replace(escaped, (point) => {
    if (Object.hasOwn(escapes, point)) return escapes[point]!;
    const code = point.codePointAt(0)!, hex = code.toString(16);
    return code < 0x80
      ? `\\x${hex.padStart(2, "0")}`
      : code < 0x10000
      ? `\\u${hex.padStart(4, "0")}`
      : `\\U${hex.padStart(8, "0")}`;
  });
  return `"${content}"`;
}
