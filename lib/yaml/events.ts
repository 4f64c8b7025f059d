import { type Event, EVENT_ID, parseEvents, YAMLException } from "js-yaml";

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

/** The most lines that are corrected, and the most characters that are parsed for it: each line costs another parse. */
const maxMended = 100, maxParsed = 6_000_000;

interface Insertion {
  readonly offset: number;
  readonly count: number;
}

/**
 * Parses a text into events. Inside brackets and quotes Kubernetes' parser ignores indentation, but YAML 1.2 requires
 * lines to be deeper than their parent; this function indents such lines. Throws a YAMLException with the line and
 * column of the original text.
 */
export function readEvents(text: string): Events {
  const insertions: Insertion[] = [];
  let source = text, parsed = 0;
  let count: number | undefined;
  for (;;) {
    try {
      const events = parseEvents(source, { maxDepth });
      return { source, events, original: (offset) => originalOffset(insertions, offset) };
    } catch (cause) {
      const offset = mendable(cause) ? source.lastIndexOf("\n", cause.mark.position - 1) + 1 : 0;
      parsed += source.length;
      if (offset === 0 || insertions.length === maxMended || parsed > maxParsed) {
        throw withOriginalColumn(cause, insertions);
      }
      count ??= deepestIndent(text) + 1;
      source = source.slice(0, offset) + " ".repeat(count) + source.slice(offset);
      insertions.push({ offset, count });
    }
  }
}

type Marked = YAMLException & { readonly mark: NonNullable<YAMLException["mark"]> };

function mendable(cause: unknown): cause is Marked {
  return cause instanceof YAMLException && cause.reason === "deficient indentation" &&
    cause.mark !== undefined;
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
