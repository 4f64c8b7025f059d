import type { DocumentPath } from "./document_path.ts";

/** Splits an RFC 6901 pointer into its unescaped tokens; `""` is the whole document. */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Writes tokens as an RFC 6901 pointer. */
export function formatPointer(tokens: DocumentPath): string {
  return tokens.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
