import type { Json } from "../json/mod.ts";
import type { YamlDocument } from "./document.ts";

/** The document of a value that no text stands for: every position is the beginning of the file. */
export function plainDocument(value: Json, file: string): YamlDocument {
  const position = { file, line: 1, column: 1 };
  return { value, file, positionOf: () => position };
}
