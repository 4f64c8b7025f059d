import { type Event, EVENT_ID, getScalarValue, SCALAR_STYLE } from "js-yaml";
import type { Position } from "../diagnostics/mod.ts";
import type { DocumentPath } from "../json/mod.ts";
import { offsetOf } from "./construct.ts";
import { documentStarts, type Events, readEvents } from "./events.ts";
import type { Chunk } from "./split.ts";
import { keyText, resolveScalar } from "./scalar.ts";

/** Where a node starts; for an entry of a map, where its key starts. */
interface PositionNode {
  readonly offset: number;
  readonly children: ReadonlyMap<string, PositionNode>;
}

/** Finds the offsets of keys and elements in one document by their paths. */
export class Positions {
  readonly #events: Events;
  readonly #root: PositionNode;

  constructor(events: Events, document: number) {
    this.#events = events;
    const cursor = { at: documentStarts(events.events)[document]! + 1 };
    this.#root = readNode(events, cursor);
  }

  /**
   * Returns where the key of an entry or a list's element starts, as an offset into the original text. For a
   * path that does not exist it returns where the nearest existing parent starts.
   */
  offsetOf(path: DocumentPath): number {
    let node = this.#root;
    for (const step of path) {
      const next = node.children.get(String(step));
      if (next === undefined) break;
      node = next;
    }
    return this.#events.original(node.offset);
  }
}

function readNode(parsed: Events, cursor: { at: number }): PositionNode {
  const { source, events } = parsed;
  const event = events[cursor.at++]!;
  const children = new Map<string, PositionNode>();
  if (event.type === EVENT_ID.SEQUENCE) {
    for (let index = 0; events[cursor.at]!.type !== EVENT_ID.POP; index++) {
      children.set(String(index), readNode(parsed, cursor));
    }
    cursor.at++;
  } else if (event.type === EVENT_ID.MAPPING) {
    while (events[cursor.at]!.type !== EVENT_ID.POP) {
      const key = events[cursor.at]!;
      const name = key.type === EVENT_ID.SCALAR ? keyName(source, key) : "";
      readNode(parsed, cursor);
      children.set(name, { ...readNode(parsed, cursor), offset: offsetOf(key) });
    }
    cursor.at++;
  }
  return { offset: offsetOf(event), children };
}

function keyName(source: string, key: Event & { readonly type: typeof EVENT_ID.SCALAR }): string {
  const text = getScalarValue(source, key);
  return key.style === SCALAR_STYLE.PLAIN && key.tagStart < 0 ? keyText(resolveScalar(text)) ?? text : text;
}

/** Where a source starts in its file, from 1. */
interface Origin {
  readonly file: string;
  readonly firstLine: number;
  readonly firstColumn?: number;
}

/** The lines and columns of a source's offsets. The source is read once, for the first of them. */
export class Lines {
  readonly #source: string;
  readonly #origin: Origin;
  #starts: number[] | undefined;

  constructor(source: string, origin: Origin) {
    this.#source = source;
    this.#origin = origin;
  }

  /** Returns the position of an offset. */
  at(offset: number): Position {
    const { file, firstLine, firstColumn = 1 } = this.#origin;
    const starts = this.#starts ??= lineStarts(this.#source);
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    const column = offset - starts[low]! + (low === 0 ? firstColumn : 1);
    return { file, line: firstLine + low, column };
  }
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The text of a document. */
export interface DocumentSource {
  readonly chunk: Chunk;
  readonly file: string;
  /** Which of the documents of its chunk it is. */
  readonly index: number;
}

/**
 * The positions of the document that a caller looked up last. They take more memory than the document: those of
 * thousands of policies with a problem each would fill the heap. The problems of a document come together, so one is
 * enough.
 */
export class LatestPositions {
  #latest: { source: DocumentSource; positions: Positions; lines: Lines } | undefined;

  /** The position of a path in a document. */
  at(source: DocumentSource, path: DocumentPath): Position {
    const { chunk, file, index } = source;
    if (this.#latest?.source !== source) {
      const positions = new Positions(readEvents(chunk.text), index);
      this.#latest = { source, positions, lines: new Lines(chunk.text, { ...chunk, file }) };
    }
    return this.#latest.lines.at(this.#latest.positions.offsetOf(path));
  }
}
