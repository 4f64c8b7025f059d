/** The characters of anchors around a key of a pattern: `(k)`, `=(k)`, `^(k)`, `<(k)`, `+(k)`, `X(k)`. */
const modifiers = "+<=X^";

/** The key without its anchor: `^(containers)` is `containers`. */
export function withoutAnchor(key: string): string {
  const trimmed = key.trim();
  const open = trimmed[0] === "(" ? 0 : modifiers.includes(trimmed[0] ?? " ") && trimmed[1] === "(" ? 1 : -1;
  return open >= 0 && trimmed.endsWith(")") && trimmed.length > open + 2 ? trimmed.slice(open + 1, -1) : key;
}
