const surrogates = /[\ud800-\udfff]/;

/** How many characters, not UTF-16 units, a text has. */
export function countCharacters(text: string): number {
  if (!surrogates.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at += widthAt(text, at)) count++;
  return count;
}

/** The UTF-16 units of a text's first characters. */
export function unitsOf(text: string, characters: number): number {
  if (characters >= text.length) return text.length;
  let at = 0;
  for (let left = characters; left > 0 && at < text.length; left--) at += widthAt(text, at);
  return at;
}

function widthAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}
