import { type Event, EVENT_ID, getScalarValue, SCALAR_STYLE } from "js-yaml";
import type { Position } from "../diagnostics/mod.ts";
import type { DocumentPath } from "../json/mod.ts";
import { offsetOf } from "./construct.ts";
import { documentStarts, type Events } from "./events.ts";
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

/**
 * Returns the line and column of an offset, both from 1; `firstLine` is the line at which the source starts in
 * its file.
 */
export function positionAt(
  source: string,
  offset: number,
  origin: { readonly file: string; readonly firstLine: number },
): Position {
  let line = origin.firstLine, start = 0;
  for (let at = source.indexOf("\n"); at >= 0 && at < offset; at = source.indexOf("\n", at + 1)) {
    line++;
    start = at + 1;
  }
  return { file: origin.file, line, column: offset - start + 1 };
}
