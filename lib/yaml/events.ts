import { type Event, EVENT_ID, parseEvents, YAMLException } from "js-yaml";
import { offsetOfSeparator } from "./line_separators.ts";
import { otherReading } from "./older_syntax.ts";

/** The parsed events of a text, with offsets into `source`. */
export interface Events {
  /** The text that was parsed: the original one, or one with more indentation. */
  readonly source: string;
  readonly events: readonly Event[];
  /** Returns the offset in the original text for an offset in `source`. */
  original(offset: number): number;
}

/** The deepest nesting of a text: the code after the parser walks values recursively. */
const maxDepth = 200;

/** The most corrections, and the most characters that are parsed for them: each costs another parse. */
const maxMended = 100, maxParsed = 6_000_000;

const separatorMessage =
  "a character of Unicode ends a line here for Kubernetes (U+0085, U+2028 or U+2029): " +
  'write it in double quotes, as "\\N", "\\L" or "\\P"';

interface Insertion {
  readonly offset: number;
  readonly count: number;
}

/**
 * Parses a text into events. Kubernetes' parser, of YAML 1.1, reads some texts that YAML 1.2 refuses; `mend` corrects
 * them. Throws a YAMLException with the line and column of the original text.
 */
export function readEvents(text: string): Events {
  const insertions: Insertion[] = [];
  let source = text, parsed = 0;
  let indent: number | undefined, last = -1;
  const correct = ({ offset, removed, added }: Mended): void => {
    source = source.slice(0, offset) + added + source.slice(offset + removed);
    insertions.push({ offset, count: added.length - removed });
  };
  for (const mended of mendStart(text)) correct(mended);
  for (;;) {
    try {
      const events = parseEvents(source, { maxDepth }), separator = offsetOfSeparator(source, events);
      if (separator !== undefined) YAMLException.throwAt(source, separator, separatorMessage);
      const other = otherReading(source, events);
      if (other !== undefined) YAMLException.throwAt(source, other.offset, other.message);
      return { source, events, original: (offset) => originalOffset(insertions, offset) };
    } catch (cause) {
      const mended = isMarked(cause) && insertions.length < maxMended && parsed + source.length <= maxParsed
        ? mend(source, cause, () => indent ??= deepestIndent(text) + 1)
        : undefined;
      const at = mended === undefined ? -1 : originalOffset(insertions, mended.offset);
      // The same correction again would help no more.
      if (mended === undefined || at <= last) throw withOriginalColumn(cause, insertions);
      last = at;
      parsed += source.length;
      correct(mended);
    }
  }
}

/** The correction of a text at an offset. */
interface Mended {
  readonly offset: number;
  /** How many characters go. */
  readonly removed: number;
  /** The characters that come. */
  readonly added: string;
}

/** Kubernetes' tools take `---#` for a marker with a comment, and skip a byte order mark at the start of a document. */
function mendStart(text: string): readonly Mended[] {
  if (!text.startsWith("---")) return [];
  const content = text.indexOf("\n") + 1;
  return [
    // From the end, so that no correction moves the other.
    ...(content > 0 && text[content] === "\ufeff" ? [{ offset: content, removed: 1, added: "" }] : []),
    ...(text[3] === "#" ? [{ offset: 3, removed: 0, added: " " }] : []),
  ];
}

/** Returns the correction after which Kubernetes' reading is YAML 1.2, too; `undefined` for other errors. */
function mend(
  source: string,
  { reason, mark: { position } }: Marked,
  indent: () => number,
): Mended | undefined {
  if (reason === "deficient indentation") {
    const start = 1 + Math.max(...["\n", "\r"].map((end) => source.lastIndexOf(end, position - 1)));
    const tabs = tabsBefore(source.slice(start, position));
    if (tabs !== undefined) {
      const { index, length } = tabs;
      return { offset: start + index, removed: length, added: " ".repeat(length) };
    }
    // Inside brackets and quotes lines need not be deeper than their parent.
    return start === 0 ? undefined : { offset: start, removed: 0, added: " ".repeat(indent()) };
  }
  // The escape \' is a quote.
  if (reason === "unknown escape sequence" && source[position] === "'") {
    return { offset: position, removed: 1, added: "x27" };
  }
  // A comment may follow a quote or a bracket directly.
  if (source[position] === "#" && /\S/.test(source[position - 1] ?? " ")) {
    return { offset: position, removed: 0, added: " " };
  }
  return undefined;
}

type Marked = YAMLException & { readonly mark: NonNullable<YAMLException["mark"]> };

function isMarked(cause: unknown): cause is Marked {
  return cause instanceof YAMLException && cause.mark !== undefined;
}

interface Gap {
  readonly index: number;
  readonly length: number;
}

/**
 * The white space with a tab that separates brackets, or what is in them, from text on the same line. A tab may do so,
 * but the parser says that it indents.
 */
function tabsBefore(line: string): Gap | undefined {
  const last = gapAt(line, line.length);
  if (hasTab(line, last)) return last;
  const before = last.index - 1;
  const gap = line[before] === "[" || line[before] === "{" ? gapAt(line, before) : undefined;
  return gap !== undefined && hasTab(line, gap) ? gap : undefined;
}

/** The white space that ends at an offset. */
function gapAt(line: string, end: number): Gap {
  let index = end;
  while (index > 0 && (line[index - 1] === " " || line[index - 1] === "\t")) index--;
  return { index, length: end - index };
}

function hasTab(line: string, { index, length }: Gap): boolean {
  return index > 0 && line.slice(index, index + length).includes("\t");
}

function deepestIndent(text: string): number {
  let deepest = 0;
  for (const line of text.matchAll(/^ +/gm)) deepest = Math.max(deepest, line[0].length);
  return deepest;
}

/** Lines are corrected from top to bottom, so a later insertion never moves an earlier one. */
function originalOffset(insertions: readonly Insertion[], offset: number): number {
  let moved = 0;
  for (const insertion of insertions) {
    if (insertion.offset < offset) moved += Math.min(insertion.count, offset - insertion.offset);
  }
  return offset - moved;
}

function withOriginalColumn(cause: unknown, insertions: readonly Insertion[]): unknown {
  if (!(cause instanceof YAMLException) || cause.mark === undefined) return cause;
  const { mark } = cause;
  const position = originalOffset(insertions, mark.position);
  return new YAMLException(cause.reason, {
    ...mark,
    position,
    column: mark.column - (mark.position - position),
  });
}

/** Returns the indexes of the events at which documents start. */
export function documentStarts(events: readonly Event[]): number[] {
  const starts: number[] = [];
  for (const [index, { type }] of events.entries()) if (type === EVENT_ID.DOCUMENT) starts.push(index);
  return starts;
}
