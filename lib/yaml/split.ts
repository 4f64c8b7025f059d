/** A part of a stream that holds one document. */
export interface Chunk {
  readonly text: string;
  /** The line of the stream at which the part starts, from 1. */
  readonly firstLine: number;
  /** The column at which it starts, from 1, if other text is before it on its line. */
  readonly firstColumn?: number;
  /** Set for an item of a long list, which is written as a list of one. */
  readonly isItem?: true;
}

/**
 * Cuts a stream before every line that starts with `---`, so that one broken document does not hide the others.
 * Directives (`%YAML 1.1`) stay with the document that they introduce.
 */
export function splitDocuments(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0, line = 1, firstLine = 1;
  let hasDirective = false, hasContent = false;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    if (isMarker(text, at)) {
      if (hasContent || !hasDirective) {
        chunks.push({ text: text.slice(start, at), firstLine });
        [start, firstLine] = [at, line];
      }
      [hasDirective, hasContent] = [false, true];
    } else if (!hasContent) {
      if (text[at] === "%") hasDirective = true;
      else if (!/^\s*(?:#|$)/.test(text.slice(at, newline < 0 ? end : newline))) hasContent = true;
    }
    at = end;
    line++;
  }
  chunks.push({ text: text.slice(start), firstLine });
  return chunks;
}

function isMarker(text: string, at: number): boolean {
  return text.startsWith("---", at) && endsMarker(text[at + 3]);
}

/** Whether `---` is a marker before this character, or at the end. Kubernetes' tools take `---#` for one, too. */
export function endsMarker(next: string | undefined): boolean {
  return next === undefined || /[\s#]/.test(next);
}
