import { COLLECTION_STYLE, type Event, EVENT_ID, SCALAR_STYLE, type ScalarEvent } from "js-yaml";

/** A place that YAML 1.1, by which Kubernetes reads, takes for another value than YAML 1.2 does. */
export interface OtherReading {
  readonly offset: number;
  /** The difference, and what to write instead. */
  readonly message: string;
}

/**
 * Returns the first place inside brackets that Kubernetes reads as another value, and the first anchor or tag whose end
 * it finds elsewhere; `undefined` when there is none. A field could have another name or value for the API server than
 * for policies, so the document is refused.
 *
 * ```ts
 * import { parseEvents } from "js-yaml";
 * import { otherReading } from "./older_syntax.ts";
 * import assert from "node:assert/strict";
 * const offset = (text: string) => otherReading(text, parseEvents(text))?.offset;
 * assert.equal(offset("a: {b:}"), 4);
 * assert.equal(offset("a: {b: }"), undefined);
 * ```
 */
export function otherReading(source: string, events: readonly Event[]): OtherReading | undefined {
  const inBrackets: boolean[] = [];
  for (const event of events) {
    const isInBrackets = inBrackets.at(-1) === true;
    const found = event.type === EVENT_ID.POP ? undefined : otherProperties(source, event, isInBrackets) ??
      (isInBrackets && event.type === EVENT_ID.SCALAR ? otherText(source, event) : undefined);
    if (found !== undefined) return found;
    if (event.type === EVENT_ID.POP) inBrackets.pop();
    else if (event.type === EVENT_ID.DOCUMENT) inBrackets.push(false);
    else if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
      inBrackets.push(event.style === COLLECTION_STYLE.FLOW);
    }
  }
  return undefined;
}

/** A text in brackets: a question mark begins a key there, and a colon ends one only before white space. */
function otherText(source: string, { style, valueStart, valueEnd }: ScalarEvent): OtherReading | undefined {
  if (style !== SCALAR_STYLE.PLAIN) return undefined;
  const text = source.slice(valueStart, valueEnd);
  if (text.startsWith("?")) {
    return { offset: valueStart, message: `Kubernetes takes this "?" for the mark of a key: quote the text` };
  }
  if (!/^\s*:[,[\]{}]/.test(source.slice(valueEnd, valueEnd + 100))) return undefined;
  return {
    offset: valueStart,
    message: `Kubernetes takes the colon behind "${text}" for a part of the text: write a space behind it`,
  };
}

/** An anchor with other characters than letters, digits, `-` and `_`, or a tag that a comma follows. */
function otherProperties(
  source: string,
  event: Exclude<Event, { type: typeof EVENT_ID.POP }>,
  isInBrackets: boolean,
): OtherReading | undefined {
  if (event.type === EVENT_ID.DOCUMENT) return undefined;
  const { anchorStart, anchorEnd } = event;
  if (anchorStart >= 0 && !/^[\w-]+$/.test(source.slice(anchorStart, anchorEnd))) {
    const mark = source[anchorStart - 1]!, name = source.slice(anchorStart, anchorEnd);
    return {
      offset: anchorStart - 1,
      message: `Kubernetes ends the name "${mark}${name}" before its first character that is no letter, ` +
        'digit, "-" or "_": write it with these alone, and a space behind it',
    };
  }
  if (event.type === EVENT_ID.ALIAS || event.tagStart < 0 || !isInBrackets || source[event.tagEnd] !== ",") {
    return undefined;
  }
  const message = `Kubernetes takes the comma for a part of the tag "${
    source.slice(event.tagStart, event.tagEnd)
  }": write a space before it`;
  return { offset: event.tagStart, message };
}
