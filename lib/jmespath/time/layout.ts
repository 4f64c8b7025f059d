/** The parts of a Go time layout. */
export type Element =
  | "long year"
  | "year"
  | "long month"
  | "month"
  | "number of month"
  | "zero month"
  | "long weekday"
  | "weekday"
  | "day"
  | "padded day"
  | "zero day"
  | "padded day of year"
  | "zero day of year"
  | "hour"
  | "hour of 12"
  | "zero hour of 12"
  | "minute"
  | "zero minute"
  | "second"
  | "zero second"
  | "PM"
  | "pm"
  | "zone name"
  | "offset"
  | "fraction"
  | "trimmed fraction";

/** An element as it stands in a layout. */
export interface LayoutElement {
  readonly element: Element;
  /** As written: `2006`, `Z07:00`, `.000`. */
  readonly text: string;
}

/** A layout split into fixed texts and elements: a text stands before each element, and one at the end. */
export interface Layout {
  readonly source: string;
  readonly elements: readonly { readonly before: string; readonly element: LayoutElement }[];
  readonly tail: string;
}

// The longest first among those with a common beginning.
const words: readonly (readonly [text: string, element: Element])[] = [
  ["January", "long month"],
  ["Monday", "long weekday"],
  ["MST", "zone name"],
  ["2006", "long year"],
  ["002", "zero day of year"],
  ["01", "zero month"],
  ["02", "zero day"],
  ["03", "zero hour of 12"],
  ["04", "zero minute"],
  ["05", "zero second"],
  ["06", "year"],
  ["15", "hour"],
  ["1", "number of month"],
  ["2", "day"],
  ["3", "hour of 12"],
  ["4", "minute"],
  ["5", "second"],
  ["PM", "PM"],
  ["pm", "pm"],
  ["-070000", "offset"],
  ["-07:00:00", "offset"],
  ["-0700", "offset"],
  ["-07:00", "offset"],
  ["-07", "offset"],
  ["Z070000", "offset"],
  ["Z07:00:00", "offset"],
  ["Z0700", "offset"],
  ["Z07:00", "offset"],
  ["Z07", "offset"],
];

const fraction = /[.,](0+|9+)(?![0-9])/y;

function elementAt(layout: string, at: number): LayoutElement | undefined {
  // `Jan` and `Mon` are words of their own only when the word ends there.
  for (const [text, element] of [["Jan", "month"], ["Mon", "weekday"]] as const) {
    const long = text === "Jan" ? "January" : "Monday";
    if (
      layout.startsWith(text, at) && !layout.startsWith(long, at) &&
      !/^[a-z]/.test(layout.slice(at + 3, at + 4))
    ) {
      return { element, text };
    }
  }
  if (layout.startsWith("__2", at)) return { element: "padded day of year", text: "__2" };
  // `_2006` is an underscore and a year.
  if (layout.startsWith("_2", at) && !layout.startsWith("_2006", at)) {
    return { element: "padded day", text: "_2" };
  }
  fraction.lastIndex = at;
  const digits = fraction.exec(layout);
  if (digits !== null) {
    return { element: digits[1]!.startsWith("0") ? "fraction" : "trimmed fraction", text: digits[0] };
  }
  const word = words.find(([text]) => layout.startsWith(text, at));
  return word === undefined ? undefined : { element: word[1], text: word[0] };
}

/**
 * The most characters of a time, a duration or a layout. Longer ones are refused: a request may bring megabytes, and
 * reading them would hold up other requests.
 */
export const longestTime = 1_000;

/** Reads a layout such as `2006-01-02T15:04:05Z07:00`. One that is too long has no elements: no text is read by it. */
export function parseLayout(source: string): Layout {
  if (source.length > longestTime) return { source, elements: [], tail: "" };
  const elements: { before: string; element: LayoutElement }[] = [];
  let start = 0;
  for (let at = 0; at < source.length;) {
    const element = elementAt(source, at);
    if (element === undefined) {
      at++;
      continue;
    }
    elements.push({ before: source.slice(start, at), element });
    at += element.text.length;
    start = at;
  }
  return { source, elements, tail: source.slice(start) };
}

/** The layout of RFC 3339. */
export const rfc3339: Layout = parseLayout("2006-01-02T15:04:05Z07:00");
