import { parsePointer } from "../json/mod.ts";

/** The most tokens of a pointer: no document is deeper, and no patch may make one that is. */
const mostTokens = 500;

/** A parsed pointer. */
export interface PointerParts {
  readonly text: string;
  /** The tokens on the way to the container. */
  readonly parents: readonly string[];
  /** The token in the container; empty for the whole document. */
  readonly last: string;
  /** Whether the pointer cannot name a value: it has text but no slash, or too many tokens. */
  readonly namesNothing: boolean;
}

/** Parses a pointer. */
export function pointerParts(text: string): PointerParts {
  // Kyverno parity: text before the first slash is ignored. Pinned by "text before the first slash is ignored".
  const start = text.indexOf("/"), tokens = start < 0 ? [] : parsePointer(text.slice(start));
  const namesNothing = (tokens.length === 0 && text !== "") || tokens.length > mostTokens;
  return { text, parents: tokens.slice(0, -1), last: tokens.at(-1) ?? "", namesNothing };
}
