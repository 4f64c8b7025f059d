/** The meaning of the parentheses around a key of a pattern or a patch. */
export type AnchorKind = "condition" | "global" | "equality" | "existence" | "negation" | "addition";

/** A key in parentheses. */
export interface Anchor {
  readonly kind: AnchorKind;
  /** The key without its parentheses: `image` for `=(image)`. */
  readonly key: string;
}

const kinds: ReadonlyMap<string, AnchorKind> = new Map([
  ["", "condition"],
  ["<", "global"],
  ["=", "equality"],
  ["^", "existence"],
  ["X", "negation"],
  ["+", "addition"],
]);

/**
 * Reads the anchor of a key; `undefined` for a plain key. Space around the key is ignored, space inside the parentheses
 * belongs to the key.
 *
 * ```ts
 * import { parseAnchor } from "./anchor.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseAnchor("=(volumes)"), { kind: "equality", key: "volumes" });
 * assert.equal(parseAnchor("volumes"), undefined);
 * assert.equal(parseAnchor("()"), undefined);
 * ```
 */
export function parseAnchor(key: string): Anchor | undefined {
  // Nearly every key is plain; its last character shows it.
  const text = key.trim();
  if (!text.endsWith(")")) return undefined;
  const parts = /^([+<=X^]?)\(([^\n]+)\)$/.exec(text);
  if (parts === null) return undefined;
  return { kind: kinds.get(parts[1]!)!, key: parts[2]! };
}
