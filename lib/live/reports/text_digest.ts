/** A digest of a text, FNV-1a in two lanes: enough to distinguish two versions of one report or policy. */
export function textDigest(text: string): string {
  let first = 0x811c9dc5, second = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  return `${(first >>> 0).toString(16)}${(second >>> 0).toString(16)}`;
}
