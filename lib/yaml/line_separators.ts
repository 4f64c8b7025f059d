import { type Event, EVENT_ID, SCALAR_STYLE } from "js-yaml";

const separators = /[\u0085\u2028\u2029]/g;

/**
 * The offset of a character that ends a line in YAML 1.1, as Kubernetes reads it, and not in YAML 1.2; `undefined` when
 * there is none. A field behind one in a comment or in a text exists for Kubernetes alone, so the document is refused.
 * U+2028 and U+2029 may be in quotes, where they are kept, unless white space beside them would go; all may be in the
 * strings of JSON.
 *
 * ```ts
 * import { parseEvents } from "js-yaml";
 * import { offsetOfSeparator } from "./line_separators.ts";
 * import assert from "node:assert/strict";
 * const offset = (text: string) => offsetOfSeparator(text, parseEvents(text));
 * assert.equal(offset("a: 1 # \u2028b: 2"), 7);
 * assert.equal(offset("a: '\u2028'"), undefined);
 * ```
 */
export function offsetOfSeparator(source: string, events: readonly Event[]): number | undefined {
  const isJson = /^\s*[[{]/.test(source);
  let next = 0;
  for (const { 0: separator, index } of source.matchAll(separators)) {
    while (next < events.length && !endsBehind(events[next]!, index)) next++;
    const event = events[next];
    if (event?.type !== EVENT_ID.SCALAR || event.valueStart > index) return index;
    const isDouble = event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    if (isJson && isDouble) continue;
    if (!isDouble && event.style !== SCALAR_STYLE.SINGLE_QUOTED || separator === "\u0085") return index;
    if (/[\s\\]/.test(source[index - 1]! + source[index + 1]!)) return index;
  }
  return undefined;
}

function endsBehind(event: Event, offset: number): boolean {
  return event.type === EVENT_ID.SCALAR && event.valueEnd > offset;
}
