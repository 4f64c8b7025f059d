import type { FileText } from "../adapters/mod.ts";
import { LatestPositions, type ParsedDocuments, parseDocuments } from "../yaml/mod.ts";

/** The most characters of one document. Objects of a cluster that are checked are read as streams instead. */
const mostCharacters = 4_000_000;

interface ParsedFile {
  readonly text: string;
  readonly parsed: ParsedDocuments;
}

/**
 * Files as they were parsed last. A file whose text did not change keeps its documents, so that its policies keep their
 * compiled form.
 */
export class ParsedFiles {
  #files = new Map<string, ParsedFile>();
  readonly #positions = new LatestPositions();

  /** Parses files, and forgets all others. */
  parse(files: readonly FileText[]): ParsedDocuments[] {
    const options = { longest: mostCharacters, positions: this.#positions };
    const all = files.map(({ file, text }): readonly [string, ParsedFile] => {
      const former = this.#files.get(file);
      if (former?.text === text) return [file, former];
      return [file, { text, parsed: parseDocuments(text, file, options) }];
    });
    this.#files = new Map(all);
    return all.map(([, { parsed }]) => parsed);
  }
}
