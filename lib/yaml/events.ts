import { type Event, EVENT_ID, parseEvents, YAMLException } from "js-yaml";

/** The parsed events of a text, with offsets into `source`. */
export interface Events {
  /** The text that was parsed: the original one, or one with more indentation. */
  readonly source: string;
  readonly events: readonly Event[];
  /** The offset in the original text that an offset in `source` stands for. */
  original(offset: number): number;
}

/** Deeper nesting is refused: everything after the parser walks values recursively. */
const maxDepth = 200;

/** Each mended line costs one more parse. */
const maxMended = 100;

interface Insertion {
  readonly offset: number;
  readonly count: number;
}

/**
 * Parses a text into events. Inside brackets and quotes Kubernetes' parser does not look at indentation, where YAML 1.2
 * wants lines to be deeper than their parent; such lines get their indentation here. Throws YAMLException, whose mark is
 * in the original text's lines and columns.
 */
export function readEvents(text: string): Events {
  const insertions: Insertion[] = [];
  let source = text;
  for (;;) {
    try {
      const events = parseEvents(source, { maxDepth });
      return { source, events, original: (offset) => originalOffset(insertions, offset) };
    } catch (cause) {
      const offset = mendable(cause) ? source.lastIndexOf("\n", cause.mark.position - 1) + 1 : 0;
      if (offset === 0 || insertions.length === maxMended) throw withOriginalColumn(cause, insertions);
      const count = deepestIndent(text) + 1;
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

/** Lines are mended from top to bottom, so later insertions never move earlier ones. */
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

/** The indexes at which documents start. */
export function documentStarts(events: readonly Event[]): number[] {
  return events.flatMap((event, index) => event.type === EVENT_ID.DOCUMENT ? [index] : []);
}
